package lifecycle

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

// meter adds the segments that a decision of the subscription's rules ends, and the drafts that bill their usage.
func meter(c metering.Change, made subscribing.Decision) (subscribing.Decision, []metering.Segment, error) {
	c.After, c.Passed = made.Subscription, made.Passed
	s, closed, err := c.Follow()
	made.Subscription, made.Issue = s, c.Bill(s, made.Issue)
	return made, closed, err
}

// asksThresholds reports whether recorded usage now counts for other thresholds, or for a new period or segment. It may
// have been merged before the decision, without a later record that causes a check.
func asksThresholds(c metering.Change) bool {
	is := c.After.Thresholds(c.Is.Metered)
	if len(is) == 0 || c.After.MeteredSince.IsZero() {
		return false
	}
	return !c.After.MeteredSince.Equal(c.Before.MeteredSince) ||
		!metered.SameThresholds(is, c.Before.Thresholds(c.Was.Metered))
}

// Performable returns the next action that a decision can perform: any but the rating of usage, which needs records. A
// draft that waits for it delays nothing else.
func (s State) Performable() (subscription.Action, time.Time) {
	if slices.ContainsFunc(s.Drafts, invoice.Invoice.AwaitsUsage) {
		s.Drafts = slices.DeleteFunc(slices.Clone(s.Drafts), invoice.Invoice.AwaitsUsage)
	}
	return s.Next()
}

// UsageBilled has the usage charges of an invoice, by key: later invoices do not bill them again.
type UsageBilled struct {
	InvoiceID string
	Charges   []metered.Charge
}

// UsageRated is the rated usage of a waiting draft: by segment, the amounts that are owed and not billed.
type UsageRated struct {
	InvoiceID string
	Segments  []RatedSegment
}

// RatedSegment is one segment with its charges to bill.
type RatedSegment struct {
	metering.Priced
	Charges []metered.Charge
	// Corrects are the lines that charges below zero correct, by price: of each, the largest after credit notes.
	Corrects map[string]invoice.Line
	// Kept are the lines of the segment on invoices that are paid or still to be paid, with earlier corrections.
	Kept []invoice.OnInvoice
}

// CloseUsage refuses further records of an ended subscription when a due draft bills its last usage. A later
// transaction counts that: the invoice has all earlier records, and later ones are refused. It may be repeated.
func CloseUsage(s State, invoiceID string, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	if i := d.indexDraft(invoiceID); i >= 0 && !d.Now.Before(d.Drafts[i].FinalizesAt) {
		d.Subscription = metering.Closed(d.Subscription, d.Drafts[i].UsageUntil)
	}
	return d.Finish()
}

// ClosesUsage reports whether CloseUsage must precede the count of a draft's usage.
func (s State) ClosesUsage(draft invoice.Invoice) bool {
	closed := metering.Closed(s.Subscription, draft.UsageUntil)
	return !closed.LateUsageUntil.Equal(s.Subscription.LateUsageUntil)
}

// AwaitsRecords reports whether the count for a draft must wait for records in progress, since no later invoice would
// bill them. A test clock passes months in an instant, so there any draft may be the last.
func (s State) AwaitsRecords(draft invoice.Invoice) bool {
	return !s.ClockNow.IsZero() || metering.Last(s.Subscription, draft.UsageUntil)
}

// BillUsage issues a draft that waits for its usage, with a line for each key; a draft without lines is deleted. It may
// be repeated: nothing changes where the draft does not exist or is not due. Faults: amount_too_large, those of
// Advance.
func BillUsage(s State, r UsageRated, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	i := d.indexDraft(r.InvoiceID)
	erased := !d.Customer.ErasedAt.IsZero() // the invoice would have no recipient
	if i >= 0 && !erased && d.Drafts[i].AwaitsUsage() && !d.Now.Before(d.Drafts[i].FinalizesAt) {
		d.due = d.Drafts[i].FinalizesAt
		until := d.Drafts[i].UsageUntil
		if err := d.billUsage(i, r.Segments); err != nil {
			return State{}, Changes{}, err
		}
		d.Subscription = metering.Billed(d.Subscription, until)
		d.due = d.Now
	}
	if err := d.CatchUp(); err != nil {
		return State{}, Changes{}, err
	}
	return d.Finish()
}

func (d *Decision) billUsage(i int, segments []RatedSegment) error {
	was := d.Drafts[i]
	draft := was.Redraw()
	period := d.situation().Period
	payer := d.payer()
	payer.Exemption = was.TaxExempt // as on the invoice
	period.Facts.Rates = tax.Holding(d.TaxRates, payer, was.UsageUntil)
	lines, err := usageLines(period, segments)
	if err != nil {
		return err
	}
	for n := range lines {
		lines[n].ID = d.lineID(draft, was.ID, len(draft.Lines)+n)
	}
	draft.Lines = append(draft.Lines, lines...)
	for _, s := range segments {
		d.corrects = append(d.corrects, s.Kept...)
	}
	if len(draft.Lines) == 0 {
		d.discard(i)
		return nil
	}
	d.Changes.bill(was.ID, segments)
	if len(draft.Lines) > len(was.Lines) {
		in := issuingDraft(d, was)
		in.TaxExempt = was.TaxExempt
		inv, err := draft.Draw(in, was.FinalizesAt)
		if err != nil {
			return err
		}
		inv.CreatedAt = was.CreatedAt
		d.Drafts[i] = inv
		d.Changes.Invoices.redraw(inv)
		d.Announce(event.InvoiceUpdated{Invoice: inv.Announced()})
	}
	return d.finalizeAlone(i)
}

// billLate drafts the invoice of late records, taken in a pause, of the time before it.
func billLate(d *Decision) error {
	s := d.Subscription
	draft, _, ok := metering.BillLate(s)
	if !ok {
		return nil
	}
	s.LateUsageUntil = time.Time{} // no more records may come
	return d.carryOut(subscribing.Decision{Subscription: s, Issue: []invoice.Draft{draft}})
}

// usageLines returns the lines that bill segments. Fault: amount_too_large.
func usageLines(of costing.Period, segments []RatedSegment) (lines []invoice.Line, err error) {
	for _, s := range segments {
		some, err := of.Used(s.Priced, s.Charges, s.Corrects)
		if err != nil {
			return nil, err
		}
		lines = append(lines, some...)
	}
	return lines, nil
}

// bill records the charges of segments on an invoice.
func (c *Changes) bill(invoiceID string, segments []RatedSegment) {
	for _, of := range segments {
		c.Usage = append(c.Usage, UsageBilled{invoiceID, of.Charges})
	}
}

// UsageUnrated records that the usage of a draft could not be rated, with the reason. The retry comes after an
// increasing interval; nothing else waits for it. Nothing changes where the draft does not exist.
func UsageUnrated(s State, invoiceID, code, detail string, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	if i := d.indexDraft(invoiceID); i >= 0 && d.Drafts[i].AwaitsUsage() {
		d.Drafts[i] = d.Drafts[i].Unrated(code, detail, d.Now, s.ratingRest)
		d.Changes.Invoices.redraw(d.Drafts[i])
	}
	return d.Finish()
}

// ratingRest returns the interval after so many failed ratings in a row: minutes; on a test clock, where a month passes
// in an instant, days.
func (s State) ratingRest(times int) time.Duration {
	if s.ClockNow.IsZero() {
		return min(time.Duration(times)*time.Minute, 10*time.Minute)
	}
	return min(24*time.Hour<<min(times-1, 5), 30*24*time.Hour)
}

// Unrated returns a draft whose usage could not be rated; nil: none.
func (s State) Unrated() *invoice.Invoice {
	i := slices.IndexFunc(s.Drafts, func(inv invoice.Invoice) bool { return inv.UsageFailure != nil })
	if i < 0 {
		return nil
	}
	return &s.Drafts[i]
}

// UsageDraft returns the first due draft that waits for its usage; ok is false where none is due by now, in the
// subscription's time.
func (s State) UsageDraft(now time.Time) (draft invoice.Invoice, ok bool) {
	now = s.Time(Moment{Now: now})
	for _, inv := range s.Drafts {
		if inv.AwaitsUsage() && !now.Before(inv.TriedAt()) {
			return inv, true
		}
	}
	return draft, false
}

// UsageDue reports whether a draft waits only for the rating of its usage.
func (s State) UsageDue(now time.Time) bool {
	_, due := s.UsageDraft(now)
	return due
}

// keptOf returns a segment's lines, their sums by price, less credit notes, and the largest line of each price.
// Lines come in any order.
func keptOf(
	s metering.Segment, lines []invoice.OnInvoice,
) (own []invoice.OnInvoice, sums map[string]money.Minor, largest map[string]invoice.Line) {
	sums, largest = map[string]money.Minor{}, map[string]invoice.Line{}
	for _, on := range lines {
		l := on.Line
		if !l.Period.Start.Equal(s.Start) {
			continue
		}
		own = append(own, on)
		sums[l.PriceID] += l.Uncredited()
		most, has := largest[l.PriceID]
		if !has || cmp.Or(cmp.Compare(l.Uncredited(), most.Uncredited()), cmp.Compare(l.ID, most.ID)) > 0 {
			largest[l.PriceID] = l
		}
	}
	return own, sums, largest
}

// RateUsage returns the owed and unbilled charges of each segment; counted are the counts, in the same order. kept are
// the usage lines of paid and payable invoices: a correction returns at most their amount. Faults: those of
// metered.Owed.
func RateUsage(
	segments []metering.Priced, counted []metered.Segment, billed []metered.Charge, kept []invoice.OnInvoice,
	c money.Currency,
) ([]RatedSegment, error) {
	var rated []RatedSegment
	for i, s := range segments {
		owed, err := metered.Owed(counted[i:i+1], c)
		if err != nil {
			return nil, err
		}
		of := slices.DeleteFunc(slices.Clone(billed), func(b metered.Charge) bool { return b.Segment != s.Start.UnixMicro() })
		own, sums, largest := keptOf(s.Segment, kept)
		if due := metered.Afforded(metered.Due(owed, counted[i].Billable(of)), sums); len(due) > 0 {
			rated = append(rated, RatedSegment{s, due, largest, own})
		}
	}
	return rated, nil
}

// ThresholdsAsked is the state of the current period's usage, for a subscription's thresholds.
type ThresholdsAsked struct {
	PeriodIndex  int // of the count
	MeteredSince time.Time
	Standing     metered.Standing
	Reached      map[string]bool // the thresholds that the period reached before, by key
	// Segments has the unbilled usage, which a threshold with an invoice bills.
	Segments []RatedSegment
}

// Crossing is a threshold that the usage of a period has reached.
type Crossing struct {
	PeriodIndex int
	Threshold   metered.Threshold
	InvoiceID   string // bills the usage so far; empty: none
}

// CrossThresholds announces the thresholds that the usage of the current period has reached, each once, and issues one
// invoice where one of them bills. It may be repeated: nothing changes where the period or its segment differ from the
// counted ones, nor before the first payment of an incomplete subscription. Faults: amount_too_large, those of Advance.
func CrossThresholds(s State, asked ThresholdsAsked, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	sub := d.Subscription
	counted := asked.PeriodIndex == sub.PeriodIndex && asked.MeteredSince.Equal(sub.MeteredSince) &&
		d.Now.Truncate(time.Second).After(sub.MeteredSince) // otherwise a change now would leave no segment to bill
	asks := d.Customer.ErasedAt.IsZero() && sub.Status != subscription.Incomplete
	if counted && asks && metering.Counts(sub, d.Plan, d.AddOns) {
		reached := metered.Crossed(sub.Thresholds(d.Plan.Metered), asked.Reached, asked.Standing)
		if err := cross(d, reached, asked); err != nil {
			return State{}, Changes{}, err
		}
	}
	if err := d.CatchUp(); err != nil {
		return State{}, Changes{}, err
	}
	return d.Finish()
}

// cross announces thresholds and issues their invoice.
func cross(d *Decision, reached []metered.Threshold, asked ThresholdsAsked) error {
	sub := d.Subscription
	invoiceID, key := "", ""
	for _, t := range reached {
		d.Announce(event.UsageThresholdReached{
			Subscription: sub.Announced(), Amount: int64(t.Amount), Percent: t.Percent.String(), MetricName: t.MetricName,
			Quantity: t.Quantity.String(), Currency: string(sub.Currency), Spent: int64(asked.Standing.Spent),
			PeriodIndex: sub.PeriodIndex, PeriodStart: sub.CurrentPeriod.Start.Unix(), PeriodEnd: sub.CurrentPeriod.End.Unix(),
		})
		if t.Invoice && key == "" { // periods may begin at the same time
			key = strconv.Itoa(sub.PeriodIndex) + " " + t.Key()
		}
	}
	if key != "" {
		var err error
		if invoiceID, err = billInterim(d, key, asked.Segments); err != nil {
			return err
		}
	}
	for _, t := range reached {
		c := Crossing{PeriodIndex: sub.PeriodIndex, Threshold: t}
		if t.Invoice {
			c.InvoiceID = invoiceID
		}
		d.Changes.Crossings = append(d.Changes.Crossings, c)
	}
	return nil
}

// billInterim issues an invoice of the unbilled usage, before the period ends; empty: its total would not be positive.
func billInterim(d *Decision, key string, segments []RatedSegment) (invoiceID string, err error) {
	draft := invoice.Draft{Reason: invoice.Usage, PeriodIndex: d.Subscription.PeriodIndex, After: key}
	draft.Period.Start, draft.Period.End = d.Subscription.CurrentPeriod.Start, d.Now
	if !draft.Period.End.After(draft.Period.Start) { // clocks differ
		draft.Period.End = draft.Period.Start.Add(time.Second)
	}
	if draft.Lines, err = usageLines(d.situation().Period, segments); err != nil {
		return "", err
	}
	var total money.Minor
	for _, l := range draft.Lines {
		total += l.Net()
	}
	if total <= 0 {
		return "", nil
	}
	id := d.invoiceID(draft)
	d.Changes.bill(id, segments)
	return id, d.issue(draft)
}
