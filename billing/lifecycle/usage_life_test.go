package lifecycle_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/billing/usage"
)

// record is a stored record of usage.
type record struct {
	at       time.Time
	metric   string
	region   string // empty: none
	quantity int64  // below zero: a correction of another record
}

// meter gives most plans of a life metered prices, before it begins. Some plans share them.
func (l *life) meter(draw chance) {
	l.metered, l.abroad, l.lazy = true, false, draw(2, "usage is rated late") == 0
	l.began = slices.MinFunc([]time.Time{l.sub().CreatedAt, l.sub().CurrentPeriod.Start}, time.Time.Compare)
	var first *metered.Prices
	for i := range 5 {
		p := l.newest(fmt.Sprintf("plan_%d", i))
		switch {
		case draw(4, "without metered prices") == 0:
			continue
		case first != nil && draw(3, "the same prices") == 0:
			p.Metered = renamed(*first, p.ID)
		default:
			p.Metered = someMetered(draw, p.ID)
			first = p.Metered
		}
		l.store.plans[p.Ref()] = p
	}
	for i := range 5 {
		l.billAfter(draw, l.newest(fmt.Sprintf("plan_%d", i)))
	}
	for _, a := range l.addOns() {
		if draw(3, "a metered add-on") == 0 {
			a.Metered = someMetered(draw, a.ID)
			a.Metered.Commitment, a.Metered.Minimum = nil, nil
		}
		l.billAfter(draw, a)
	}
	l.account.plan = l.store.plans[l.sub().Plan()]
}

// renamed returns the same prices with the ids of another plan.
func renamed(p metered.Prices, id string) *metered.Prices {
	p.Components = slices.Clone(p.Components)
	for i := range p.Components {
		p.Components[i].ID = fmt.Sprintf("%s_metered_%d", id, i)
	}
	if p.Commitment != nil {
		k := *p.Commitment
		k.ID = id + "_commitment"
		p.Commitment = &k
	}
	if p.Minimum != nil {
		m := *p.Minimum
		m.ID = id + "_minimum"
		p.Minimum = &m
	}
	return &p
}

// repriced returns the metered prices of the version after p: every other version is dearer.
func repriced(p plan.Plan) *metered.Prices {
	if p.Metered == nil {
		return nil
	}
	out := renamed(*p.Metered, fmt.Sprintf("%s_v%d", p.ID, p.Version+1))
	if p.Version%2 == 0 {
		return out
	}
	for i, c := range out.Components {
		out.Components[i].Rates = slices.Clone(c.Rates)
		for n := range c.Rates {
			out.Components[i].Rates[n].Price.Included = money.Whole(int64(2 + p.Version))
		}
	}
	return out
}

func someMetered(draw chance, id string) *metered.Prices {
	p := metered.Prices{Thresholds: someThresholds}
	for i := range 1 + draw(2, "metered prices") {
		c := metered.Component{
			ID: fmt.Sprintf("%s_metered_%d", id, i), MetricName: []string{"calls", "storage"}[i],
			MetricVersionID: fmt.Sprintf("met_%d", i), Cumulated: draw(4, "cumulated") == 0,
		}
		switch draw(3, "rates") {
		case 0:
			c.Rates = []metered.Rate{{Price: someUsagePrice(draw, c.Cumulated)}}
		case 1:
			c.Rates = []metered.Rate{{By: []string{"region"}, Price: someUsagePrice(draw, c.Cumulated)}}
		default:
			c.Rates = []metered.Rate{{Where: map[string]string{"region": "eu"}, Price: someUsagePrice(draw, c.Cumulated)}}
			if draw(2, "a rate for the others") == 0 {
				c.Rates = append(c.Rates, metered.Rate{By: []string{"region"}, Price: someUsagePrice(draw, c.Cumulated)})
			}
		}
		p.Components = append(p.Components, c)
	}
	if draw(4, "a commitment") == 0 {
		p.Commitment = &metered.Commitment{ID: id + "_commitment", Amount: money.Minor(1 + draw(3000, "committed"))}
		if draw(2, "an overage") == 0 {
			p.Commitment.OverageFactor = dec("1.25")
		}
	}
	if draw(4, "a least amount") == 0 {
		p.Minimum = &metered.Minimum{ID: id + "_minimum", Amount: money.Minor(1 + draw(8000, "least"))}
	}
	return &p
}

func someUsagePrice(draw chance, cumulated bool) rating.Price {
	p := rating.Price{Model: rating.PerUnit, UnitPrice: dec([]string{"0.03", "0.015", "1", "0.0004"}[draw(4, "per unit")])}
	if draw(2, "graduated") == 0 {
		p = rating.Price{Model: rating.Graduated, Tiers: []rating.Tier{
			{UpTo: money.Whole(int64(5 + draw(30, "up to"))), UnitPrice: dec("0.05")}, {UnitPrice: dec("0.02")},
		}}
		p.Tiers[0].FlatAmount, p.Tiers[1].FlatAmount = money.Minor(draw(3, "flat")*50), money.Minor(draw(2, "flat")*7)
	} else if draw(3, "percentage") == 0 {
		p = rating.Price{Model: rating.Percentage, Percent: dec("2.9")}
		if !cumulated && draw(2, "by transaction") == 0 {
			p.Transactions = rating.Transactions{Fee: dec("0.3"), Free: draw(5, "free"), Maximum: dec("1.2")}
		}
		return p
	}
	if draw(3, "included") == 0 {
		p.Included = money.Whole(int64(1 + draw(20, "units")))
	}
	if draw(4, "a minimum") == 0 && !cumulated {
		p.Minimum = money.Minor(1 + draw(200, "minimum"))
	}
	if draw(5, "a maximum") == 0 && !cumulated {
		p.Maximum = p.Minimum + money.Minor(draw(300, "maximum"))
	}
	return p
}

// useSome adds records: on time, late, at a boundary, and as corrections.
func (l *life) useSome(draw chance) {
	for range draw(4, "records") {
		now := l.decided()
		r := record{
			at:     now.Add(-time.Duration(draw(3*86400, "seconds ago")) * time.Second),
			metric: []string{"calls", "storage"}[draw(2, "metric")], region: []string{"", "eu", "us"}[draw(3, "region")],
			quantity: int64(1 + draw(40, "units")),
		}
		switch draw(6, "when") {
		case 0:
			r.at = now.Add(-time.Duration(draw(95*86400, "seconds ago")) * time.Second)
		case 1:
			r.at = l.sub().CurrentPeriod.Start.Add(time.Duration(draw(2, "before")-1) * time.Microsecond)
		case 2:
			if n := len(l.store.records); n > 0 {
				r = l.store.records[draw(n, "which record")]
				r.quantity = -r.quantity
			}
		}
		if r.at = r.at.Truncate(time.Microsecond); l.takes(r) {
			l.store.records = append(l.store.records, r)
		}
	}
}

// takes reports whether a record is accepted, by the rules of db. A record is corrected once.
func (l *life) takes(r record) bool {
	s, now := l.sub(), l.decided()
	ended := s.Status == subscription.Canceled
	closed := ended && !s.LateUsageUntil.IsZero() && !s.LateUsageUntil.After(s.CanceledAt)
	within := !r.at.Before(now.Add(-usage.MaxAge)) && !r.at.Before(l.began) && !r.at.After(now)
	left := r.quantity
	for _, other := range l.store.records {
		if other.at.Equal(r.at) && other.metric == r.metric && other.region == r.region {
			left += other.quantity
		}
	}
	return l.store.customer.ErasedAt.IsZero() && within && !closed && left >= 0 && (!ended || r.at.Before(s.CanceledAt))
}

// counted counts the records of segments from one on, as db does: package metered asks, and a list answers.
func (l *life) counted(all []metering.Segment, from int) []metered.Segment {
	spans := make([]metered.Span, len(all))
	for i, s := range all {
		spans[i] = metered.Span{
			Start: s.Start, End: s.End, Share: s.Share, PeriodLength: s.PeriodLength, Prices: l.store.priced(s).Prices(),
		}
	}
	return l.countedIn(spans, from)
}

// countedIn counts the records of spans from one on.
func (l *life) countedIn(spans []metered.Span, from int) []metered.Segment {
	questions, err := metered.Questions(spans, from)
	require.NoError(l.t, err)
	answers := make([][]usage.Totals, len(questions))
	for i, q := range questions {
		if q.ByTransaction() {
			answers[i] = l.transactions(&questions[i])
			continue
		}
		for _, p := range q.Periods {
			answers[i] = append(answers[i], l.lots(q.Component, p))
		}
	}
	return metered.Segments(spans, from, questions, answers)
}

// lots sums the records of a time by the lots of a component, in the order of groups. A reversed record counts as
// absent.
func (l *life) lots(c metered.Component, of usage.Span) (all usage.Totals) {
	left := map[record]int64{}
	for _, r := range l.store.records {
		left[record{at: r.at, metric: r.metric, region: r.region}] += r.quantity
	}
	for r, n := range left {
		if n != 0 && r.metric == c.MetricName && !r.at.Before(of.Start) && r.at.Before(of.End) {
			all = added(all, lotOf(c, r), n)
		}
	}
	slices.SortFunc(all, func(a, b usage.Quantity) int { return cmp.Compare(a.Group, b.Group) })
	return all
}

func (l *life) hasComponent(of metering.Segment, id string) bool {
	_, has := l.store.priced(of).Prices().Component(id)
	return has
}

func added(to usage.Totals, group usage.Group, quantity int64) usage.Totals {
	i := slices.IndexFunc(to, func(q usage.Quantity) bool { return q.Group == group })
	if i < 0 {
		i, to = len(to), append(to, usage.Quantity{Group: group, Value: money.Whole(0)})
	}
	to[i].Value, to[i].Records = to[i].Value.Add(money.Whole(quantity)), to[i].Records+1
	return to
}

// lotOf returns the lot of a record in the form of package metered.
func lotOf(c metered.Component, r record) usage.Group {
	rate := slices.IndexFunc(c.Rates, func(rate metered.Rate) bool {
		want, asked := rate.Where["region"]
		return !asked || r.region != "" && r.region == want
	})
	return usage.Group(fmt.Sprintf("%d %s", rate, byOf(c, rate, r)))
}

// byOf returns the values of the dimensions that a rate separates, as JSON; empty: none.
func byOf(c metered.Component, rate int, r record) string {
	if rate < 0 || len(c.Rates[rate].By) == 0 {
		return ""
	}
	values := []*string{nil}
	if r.region != "" {
		values[0] = &r.region
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// rated returns the charges of a draft, as activities read them.
func (l *life) rated(draft invoice.Invoice) lifecycle.UsageRated {
	out := lifecycle.UsageRated{InvoiceID: draft.ID}
	if l.unknown {
		return out
	}
	all := slices.DeleteFunc(slices.Clone(l.store.segments), func(s metering.Segment) bool {
		return s.End.After(draft.UsageUntil)
	})
	from := l.window(all)
	segments := all[from:]
	if len(segments) == 0 {
		return out
	}
	var billed []metered.Charge
	for _, c := range l.store.charges {
		for _, charge := range c.Charges {
			if charge.Segment >= segments[0].Start.UnixMicro() {
				billed = append(billed, charge)
			}
		}
	}
	rated := make([]metering.Priced, len(segments))
	for i, s := range segments {
		rated[i] = l.store.priced(s)
	}
	var err error
	out.Segments, err = lifecycle.RateUsage(rated, l.counted(all, from), billed, l.usageKept(), l.sub().Currency)
	require.NoError(l.t, err)
	for _, of := range out.Segments {
		for _, charge := range of.Charges {
			if charge.Limited {
				l.limited[charge.Segment] = true
			}
		}
	}
	return out
}

// unbilled is the usage that the next invoices bill, as db and the service read it for a command.
func (l *life) unbilled() (u lifecycle.UnbilledUsage) {
	from := l.window(l.store.segments)
	u.Segments, u.Kept = l.store.segments[from:], l.usageKept()
	for _, of := range l.store.charges {
		u.Billed = append(u.Billed, of.Charges...)
	}
	for i, used := range l.counted(l.store.segments, from) {
		u.Counted = append(u.Counted, costing.Accruing{Priced: l.store.priced(u.Segments[i]), Counted: used})
	}
	return u
}

// window returns the index of the first segment that an invoice may bill.
func (l *life) window(all []metering.Segment) (from int) {
	billedUntil := l.billedUntil()
	for i, s := range all {
		if !s.End.Add(usage.MaxAge).After(billedUntil) {
			from = i + 1
		}
	}
	return from
}

// billUsage rates and issues the first due draft; false: there is none.
func (l *life) billUsage() bool {
	g := l.load(false)
	draft, due := g.state.UsageDraft(l.now)
	if !due {
		return false
	}
	if g.state.ClosesUsage(draft) {
		state, changes, err := lifecycle.CloseUsage(g.state, draft.ID, l.moment())
		require.NoError(l.t, err)
		l.write(g, state, changes)
		before := record{at: l.sub().CanceledAt.Add(-time.Microsecond), metric: "calls", quantity: 1}
		require.False(l.t, l.takes(before), "a record that the count might miss")
		g = l.load(false)
	}
	rated := l.rated(draft)
	state, changes, err := lifecycle.BillUsage(g.state, rated, l.moment())
	require.NoError(l.t, err)
	l.rating = draft.ID
	l.write(g, state, changes)
	l.rating = ""
	if changes.Unfinished {
		l.advance()
	}
	if l.thorough && l.store.customer.ErasedAt.IsZero() {
		_, again, err := lifecycle.BillUsage(l.store.load(false), rated, l.moment())
		require.NoError(l.t, err)
		require.Equal(l.t, lifecycle.Changes{At: l.decided()}, again, "repeated, nothing is billed again")
		for _, of := range l.rated(draft).Segments {
			for _, charge := range of.Charges { // free units are recorded only with an invoice
				require.Zero(l.t, charge.Amount, "what is billed is not owed any more: %+v", charge)
			}
		}
	}
	return true
}

// endUsage ends a life, issues its drafts of usage, and compares all charges with a recount.
func (l *life) endUsage() {
	l.lazy = false
	l.advance()
	if l.sub().Status != subscription.Canceled {
		_, err := l.apply(lifecycle.Cancel{Immediate: true})
		require.NoError(l.t, err)
	}
	l.until(l.now.Add(8 * 24 * time.Hour))
	require.Empty(l.t, l.store.drafts)
	l.checkOwed()
}
