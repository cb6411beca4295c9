package lifecycle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// sitting is a time in which an item was used: its cost is that of its own periods, counted from an anchor.
type sitting struct {
	key     string
	amount  money.Minor // of a whole own period
	grid    period.Schedule
	measure proration.Measure
	from    time.Time
	to      time.Time // zero: it goes on, or its own period is used to its end
	ended   bool      // nothing follows it
	opened  bool      // it ended in the instant in which a period began
}

// owed returns the cost of all own periods that have begun by now.
func (s sitting) owed(now time.Time) (sum money.Minor) {
	for own := s.grid.Around(s.from); !own.Start.After(now); own = s.grid.Around(own.End) {
		begin := s.from
		if own.Start.After(begin) {
			begin = own.Start
		}
		if !s.to.IsZero() && (s.to.Before(begin) || s.to.Equal(begin) && !s.opened && (!s.ended || !begin.Equal(s.from))) {
			break
		}
		used, err := s.measure.Rest(own, begin, s.grid.Location)
		must(err)
		sum += used.Of(s.amount)
		if !s.to.IsZero() && s.to.Before(own.End) {
			left, err := s.measure.Rest(own, s.to, s.grid.Location)
			if s.ended {
				left, err = s.measure.Unused(own, s.to, s.grid.Location)
			}
			must(err)
			return sum - left.Of(s.amount)
		}
	}
	return sum
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// mixedUse follows the items of a subscription with several intervals: what it owes for each price follows from the
// times in which it had it, whatever was billed when.
type mixedUse struct {
	*life
	past    []sitting
	running map[string]sitting
	anchor  time.Time
	gives   bool // the next end gives unused time back
	blind   bool // a person gives invoices up, or periods are skipped: what is owed does not follow from the use alone
}

// items returns the present items with their whole prices.
func (m *mixedUse) items() map[string]sitting {
	s, all := m.sub(), map[string]sitting{}
	if s.PeriodIndex == 0 || s.Status == subscription.Canceled || s.Status == subscription.Paused {
		return all
	}
	for _, of := range m.account.with(m.store.plans[s.Plan()], s.Quantity, s.AddOns) {
		for _, price := range of.plan.Prices {
			cost, err := of.plan.Cost(price.ID, price.Units(of.units))
			require.NoError(m.t, err)
			grid := period.Schedule{Anchor: s.AnchorAt, Location: paris, Interval: of.plan.Interval}
			all[fmt.Sprint(price.ID, "×", price.Units(of.units))] = sitting{
				key: price.ID, amount: cost.Amount, grid: grid, measure: m.store.settings.ProrationMeasure,
			}
		}
	}
	return all
}

// observe compares the items with those of the last decision, which is now, and checks what is billed.
func (m *mixedUse) observe(now time.Time) {
	now = now.Truncate(time.Second)
	is, s := m.items(), m.sub()
	for key, had := range m.running {
		same, goesOn := is[key]
		if goesOn && s.AnchorAt.Equal(m.anchor) && same.amount == had.amount {
			continue
		}
		ends := s.Status == subscription.Canceled || s.Status == subscription.Paused
		if !ends || m.gives {
			had.to, had.ended, had.opened = now, ends, ends && !s.CurrentPeriod.Start.Before(now)
		}
		if ends && !m.gives { // paid to the end of its own period
			had.to = had.grid.Around(now.Add(-time.Second)).End
		}
		m.past = append(m.past, had)
		delete(m.running, key)
	}
	for key, one := range is {
		if _, has := m.running[key]; !has {
			one.from = now
			m.running[key] = one
		}
	}
	m.anchor = s.AnchorAt
	m.compare(now)
}

func (m *mixedUse) compare(now time.Time) {
	if m.blind {
		return
	}
	want, got := map[string]money.Minor{}, map[string]money.Minor{}
	for _, one := range m.past {
		want[one.key] += one.owed(now)
	}
	for _, one := range m.running {
		want[one.key] += one.owed(now)
	}
	add := func(lines []invoice.Line) {
		for _, l := range lines {
			if l.Kind != invoice.Metered {
				got[l.PriceID] += l.Amount
			}
		}
	}
	for _, inv := range m.store.all() {
		if inv.Status != invoice.Void && !m.sub().Pays(inv.ID) {
			add(inv.Lines)
		}
	}
	add(m.sub().PendingLines)
	for key, amount := range want {
		if got[key] != amount {
			require.Equal(m.t, amount, got[key], "%s at %s", key, now)
		}
		delete(got, key)
	}
	for key, amount := range got {
		require.Zero(m.t, amount, key)
	}
}

// play passes time, action by action.
func (m *mixedUse) play(draw chance, to time.Time) {
	for m.now.Before(to) {
		action, at := m.next()
		if action == subscription.ActionNone || at.After(to) {
			at = to
		}
		m.until(at)
		m.observe(at)
		m.pay(draw)
	}
}

// pay decides the live attempt.
func (m *mixedUse) pay(draw chance) {
	for m.live("") != nil {
		outcome := answer.Succeeded
		if draw(6, "declined") == 0 {
			outcome = answer.Declined
		}
		m.result(outcome)
		m.observe(m.now)
	}
}

// mixedRefusals are what a life with several intervals may be refused.
var mixedRefusals = []string{
	"plan_unchanged", "quantity_unchanged", "add_ons_unchanged", "add_on_interval_mismatch", "add_ons_other_interval",
	"subscription_invoice_open", "subscription_past_due", "first_period_short", "subscription_canceled",
	"subscription_paused", "cancellation_scheduled", "cancellation_not_scheduled", "period_just_begun",
	"effective_at_after_end", "payment_in_progress", "subscription_in_trial", "subscription_invoice_draft",
	"scheduled_changes_limit", "plan_version_unchanged", "plan_change_scheduled",
}

func (m *mixedUse) command(cmd lifecycle.Command) {
	if named, ok := m.t.(interface{ Logf(string, ...any) }); ok {
		named.Logf("%s %s", m.now.Format(time.RFC3339), describe(cmd))
	}
	if _, err := m.apply(cmd); err != nil {
		require.Contains(m.t, mixedRefusals, fault.From(err).Code)
	}
}

// describe names a command, for a failed life.
func describe(cmd lifecycle.Command) string {
	c, ok := cmd.(lifecycle.ChangePlan)
	if !ok {
		return fmt.Sprintf("%T %+v", cmd, cmd)
	}
	text := fmt.Sprint("change ", c.Proration, " at period end: ", c.AtPeriodEnd, " on ", c.On)
	if c.Plan != nil {
		text += " plan " + c.Plan.ID
	}
	if c.AddOns != nil {
		for _, a := range *c.AddOns {
			text += fmt.Sprint(" with ", a.Quantity, " ", a.AddOn.ID)
		}
	}
	return text
}

// perUnit is an add-on that costs an amount for each unit.
func perUnit(id string, every period.Interval, amount money.Minor) plan.Plan {
	p := addOnOf(id, every, 0)
	p.Prices[0].Price = rating.Price{Model: rating.PerUnit, UnitPrice: money.Units(amount, "EUR")}
	return p
}

func quarterly(n int) period.Interval { return period.Interval{Unit: period.Month, Count: 3 * n} }

// someMixed draws a subscription of plans and add-ons of several intervals, and begins it.
func someMixed(t require.TestingT, draw chance) *mixedUse {
	m := newMixed(t, draw)
	m.begin(draw)
	return m
}

func newMixed(t require.TestingT, draw chance) *mixedUse {
	price := func() money.Minor { return money.Minor(1 + draw(200_000, "price")) }
	plans := []plan.Plan{
		flat("plan_y1", year, price()), flat("plan_y2", period.Interval{Unit: period.Month, Count: 12}, price()),
		flat("plan_q", quarterly(1), price()), flat("plan_m", month, price()),
	}
	addOns := []plan.Plan{
		perUnit("seats", month, price()), addOnOf("support", year, price()), perUnit("sms", quarterly(1), price()),
		addOnOf("half", quarterly(2), price()), addOnOf("eight", period.Interval{Unit: period.Month, Count: 8}, price()),
	}
	set := settings
	set.PastDueBilling = subscription.AccruePastDue
	set.ProrationMeasure = someMeasure(draw)
	in := subscribing.NewInput{}
	on := plans[draw(len(plans), "plan")]
	in.AddOns = *someOf(draw, addOns)
	if _, err := subscription.Sell(in.AddOns, on); err != nil { // eight months go with months alone
		in.AddOns = append(in.AddOns, subscription.Chosen{AddOn: addOns[0]})
	}
	if draw(4, "an anchor") == 0 {
		in.Anchor = created.Add(time.Duration(1+draw(27*86400, "seconds")) * time.Second)
	} else if draw(4, "in the past") == 0 {
		in.StartsAt = created.AddDate(0, 0, -draw(500, "days"))
	}
	l := newLifeOf(t, slices.Concat(plans, addOns), set, on, in)
	l.mixed = true
	return &mixedUse{life: l, running: map[string]sitting{}, anchor: l.sub().AnchorAt}
}

func (m *mixedUse) begin(draw chance) {
	began := m.sub().CurrentPeriod.Start
	m.until(created)
	for key, one := range m.items() {
		one.from = began
		m.running[key] = one
	}
	m.compare(created)
	m.pay(draw)
}

func someOf(draw chance, addOns []plan.Plan) *[]subscription.Chosen {
	chosen := []subscription.Chosen{}
	for _, a := range addOns {
		if draw(2, "chosen") == 0 {
			chosen = append(chosen, subscription.Chosen{AddOn: a, Quantity: int64(1 + draw(3, "units"))})
		}
	}
	return &chosen
}

func (m *mixedUse) of(ids ...string) (all []plan.Plan) {
	for _, id := range ids {
		all = append(all, m.newest(id))
	}
	return all
}

// change draws a change.
func (m *mixedUse) change(draw chance) {
	c := lifecycle.ChangePlan{}
	if draw(3, "another plan") == 0 {
		to := m.of("plan_y1", "plan_y2", "plan_q", "plan_m")[draw(4, "to")]
		c.Plan = &to
	}
	if c.Plan == nil || draw(2, "and add-ons") == 0 {
		c.AddOns = someOf(draw, m.of("seats", "support", "sms", "half", "eight"))
	}
	switch draw(4, "when") {
	case 0:
		c.AtPeriodEnd = true
	case 1:
		c.On = m.now.Add(time.Duration(1+draw(200*86400, "seconds")) * time.Second).Truncate(time.Second)
	default:
	}
	if !c.AtPeriodEnd && draw(3, "waits") == 0 {
		c.Proration = subscription.NextInvoice
	}
	m.command(c)
}

func (m *mixedUse) step(draw chance) {
	switch draw(12, "step") {
	case 0, 1, 2, 3:
		m.change(draw)
	case 4:
		m.command(lifecycle.MoveAnchor{})
	case 5:
		m.gives = true
		m.command(lifecycle.Pause{CreditUnused: true})
	case 6:
		m.command(lifecycle.Cancel{})
	case 7:
		m.command(lifecycle.Reactivate{})
	case 8:
		if draw(4, "at once") == 0 {
			m.gives = true
			m.command(lifecycle.Cancel{Immediate: true, RefundUnused: true})
		}
	default:
		m.play(draw, m.now.Add(time.Duration(draw(80*86400, "seconds"))*time.Second))
		return
	}
	m.observe(m.now)
	m.gives = true // an end with the plan credits longer add-ons
	m.pay(draw)
	if m.sub().Status == subscription.Paused && draw(2, "resumes") == 0 {
		m.play(draw, m.now.Add(time.Duration(1+draw(9*86400, "seconds"))*time.Second))
		m.command(lifecycle.Resume{})
		m.observe(m.now)
		m.pay(draw)
	}
}

// What is billed for each item of a subscription with several intervals is what it was used, in its own periods.
func TestMixed_RandomLife(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawing(t)
		m := someMixed(t, draw)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			m.step(draw)
		}
	})
}
