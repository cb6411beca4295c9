package costing

import (
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// Left is the time of an own period that is left from an instant on: the span of the current period, and the way to
// find that of a longer one.
type Left struct {
	proration.Span // of the current period
	of             func(own period.Period) (proration.Span, error)
}

// Rest returns the span of the current period from an instant on at which another use begins. Faults: those of
// proration.Measure.Rest.
func (s Period) Rest(from time.Time) (Left, error) {
	return leftOf(s.Whole(), func(of period.Period) (proration.Span, error) { return restOf(s, of, from) })
}

// Unused returns the span of the current period that is left when the use ends at an instant without a successor.
// Faults: those of proration.Measure.Unused.
func (s Period) Unused(end time.Time) (Left, error) {
	return leftOf(s.Whole(), func(of period.Period) (proration.Span, error) {
		return s.ProrationMeasure.Unused(of, end, s.Location())
	})
}

func leftOf(current period.Period, of func(period.Period) (proration.Span, error)) (Left, error) {
	span, err := of(current)
	return Left{Span: span, of: of}, err
}

// restOf is Rest of another period than the current one.
func restOf(s Period, of period.Period, from time.Time) (proration.Span, error) {
	return s.ProrationMeasure.Rest(of, from, s.Location())
}

// spanOf returns the span that is left of the own period of a line.
func (l Left) spanOf(w whole) (proration.Span, error) {
	if !w.longer {
		return l.Span, nil
	}
	return l.of(w.divided)
}

// Due returns the lines of all items for the own periods that no invoice bills yet: whole, or the rest from the begin
// of the current period where an own period began before. with are the other lines of their invoice. part: the current
// period is a part of an interval, so is what it costs. A free item has no line. Faults: those of plan.Cost and of
// proration.Measure.Rest.
func (s Period) Due(on plan.Plan, part bool, with []invoice.Line) ([]invoice.Line, error) {
	all, err := s.lines(s.Items, on)
	if err != nil {
		return nil, err
	}
	start := s.CurrentPeriod.Start
	var lines []invoice.Line
	for _, w := range all {
		switch {
		case w.Amount == 0, w.longer && ownBilled(s, w, with):
		case part, w.Period.Start.Before(start):
			l, err := s.rest(w, start)
			if err != nil {
				return nil, err
			}
			lines = append(lines, l)
		default:
			lines = append(lines, w.explained())
		}
	}
	return lines, nil
}

// ownBilled reports whether the own period of an item, which is a longer one, is billed: here, or in the system that
// the subscription was imported from.
func ownBilled(s Period, w whole, with []invoice.Line) bool {
	_, _, billed := invoice.BillingUntil(everyInvoice(s, with), w.ItemID, w.Period.End, w.joined)
	return billed || ownPaidElsewhere(s, w)
}

// ownPaidElsewhere reports whether a longer own period may have been paid in the system that the subscription was
// imported from: it began before the first period that is billed here, and its item did not join later.
func ownPaidElsewhere(s Period, w whole) bool {
	return w.longer && subscription.BeganElsewhere(s.Subscription, w.Period, w.joined)
}

// everyInvoice returns the known invoices with lines, and lines that wait for one.
func everyInvoice(s Period, waiting []invoice.Line) []invoice.Invoice {
	all := slices.Concat(s.Facts.Paid, s.Facts.WrittenOff, s.Facts.Open, s.Facts.Drafts)
	if len(waiting) > 0 {
		all = append(all, invoice.Invoice{Status: invoice.Open, Lines: waiting})
	}
	return all
}

// billingOf returns the line that bills the own period of an item now; ok is false where there is none, or a person
// gave it up.
func billingOf(s Period, issued []invoice.Invoice, w whole) (line invoice.Line, ok bool) {
	if !w.longer {
		return invoice.Billing(issued, w.ItemID, s.PeriodIndex)
	}
	line, ok, _ = invoice.BillingUntil(issued, w.ItemID, w.Period.End, w.joined)
	return line, ok
}

// LongerItems returns those of some items on a plan whose own periods are longer than those of the subscription.
func (s Period) LongerItems(items []subscription.Item, on plan.Plan) []subscription.Item {
	return slices.DeleteFunc(slices.Clone(items), func(i subscription.Item) bool {
		return !s.Longer(s.Facts.holder(on, i.PriceID).Interval)
	})
}

// BeginsAnew reports whether the own periods of all items begin with the current period.
func (s Period) BeginsAnew(on plan.Plan) bool {
	return !slices.ContainsFunc(s.Items, func(i subscription.Item) bool {
		own := s.OwnPeriod(s.Facts.holder(on, i.PriceID).Interval)
		return own.Start.Before(s.CurrentPeriod.Start) && !s.Short()
	})
}

// The refusals of changes of items whose own periods are longer than those of the subscription.
var (
	// ErrLongUnpaid refuses to take back a line of an invoice from before the current period that is not paid: it could
	// not be replaced.
	ErrLongUnpaid = fault.New(fault.Conflict, "subscription_invoice_open",
		"An open invoice from before the current period bills an item that the request would credit. Pay it, void it or "+
			"mark it uncollectible first.")
	// ErrLongPaidElsewhere refuses to credit a long period that was paid in another system.
	ErrLongPaidElsewhere = fault.New(fault.Conflict, "period_paid_elsewhere",
		"The period of an item that the request would credit was paid in the system that the subscription was imported "+
			"from, so that no invoice here can credit its unused time. Repeat the request when that period has ended.")
)

// CheckCreditable refuses to credit longer items that no invoice can credit now. Faults: subscription_invoice_open,
// period_paid_elsewhere, those of plan.Cost.
func (s Period) CheckCreditable(items []subscription.Item) error {
	all, err := s.lines(s.LongerItems(items, s.Facts.Plan), s.Facts.Plan)
	if err != nil {
		return err
	}
	for _, w := range all {
		line, _, billed := invoice.BillingUntil(everyInvoice(s, s.PendingLines), w.ItemID, w.Period.End, w.joined)
		switch {
		case w.Amount == 0:
		case !billed && ownPaidElsewhere(s, w):
			return ErrLongPaidElsewhere
		case billed && owedBefore(s, line.ID):
			return ErrLongUnpaid
		}
	}
	return nil
}

// owedBefore reports whether a line is on an open invoice, or a draft, that a change now does not replace.
func owedBefore(s Period, lineID string) bool {
	now := s.Facts.OpenFor(s.PeriodIndex)
	return slices.ContainsFunc(slices.Concat(s.Facts.Open, s.Facts.Drafts), func(inv invoice.Invoice) bool {
		return (now == nil || inv.ID != now.ID) &&
			slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool { return l.ID == lineID })
	})
}
