package lifecycle_test

import (
	"reflect"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/costing"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/recording"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// life runs one subscription against the real rules: it loads, decides, writes and loads again, as the callers do with
// a database, and checks the invariants of every life after each decision.
type life struct {
	prices map[string]string // see priced, by price id
	t      require.TestingT
	store  *store
	ids    *ids
	now    time.Time // the subscription's time; the store has that of a test clock
	real   time.Time
	late   bool // actions run after their due time, not at it
	// thorough compares the input of a decision before and after it, in all fields.
	thorough bool
	// abroad: commands have plans of another currency that are also sold in the subscription's.
	abroad bool
	// metered: its plans have metered prices; lazy: a step rates their usage, not the due time.
	metered, lazy bool
	idleUsage     bool      // there is no usage
	alike         bool      // compared with a life without metered prices
	mixed         bool      // its items have several intervals, which the account does not know
	unknown       bool      // usage is unknown, as in a foresight
	rating        string    // the draft whose usage is being rated
	began         time.Time // the time from which records are taken

	how        subscription.ProrationBehavior // of the next change
	reviewed   bool                           // the books lack an answer of the provider
	writtenOff bool                           // a person gave an invoice up, so that some usage is not billed
	limited    map[int64]bool                 // segments whose correction returned less than the difference
	noted      bool                           // a credit note returned billed amounts

	account  account
	credited map[string]money.Minor // of failed refunds, by charge
	captured map[string]bool        // by the provider, by transaction
	lost     map[string]int         // the number of sends that were proven absent, by transaction
	redeemed map[string]redeemed    // coupons, by id
}

func newLife(
	t require.TestingT, plans []plan.Plan, settings subscription.Settings, first plan.Plan, trialDays int,
	addOns ...subscription.Chosen,
) *life {
	return newLifeOf(t, plans, settings, first, subscribing.NewInput{TrialDays: &trialDays, AddOns: addOns})
}

func newLifeOf(
	t require.TestingT, plans []plan.Plan, settings subscription.Settings, first plan.Plan, in subscribing.NewInput,
) *life {
	s := &store{
		t: t, plans: map[plan.Ref]plan.Plan{}, settings: settings, place: map[string]int{},
		settled: map[string]lifecycle.Settlement{}, customer: payer(),
		provider: &lifecycle.Provider{Name: "simulator", ConfigID: "pp_1"},
	}
	for _, p := range plans {
		s.plans[p.Ref()] = p
	}
	in.ID, in.CustomerID, in.TimeZone, in.Now = "sub_1", "cust_1", "Europe/Paris", created
	sub, events, err := subscribing.Create(first, in)
	require.NoError(t, err)
	known := make([]plan.Plan, len(in.AddOns))
	for i, c := range in.AddOns {
		known[i] = c.AddOn
	}
	s.sub = subscribing.With(sub, costing.Facts{Plan: first, AddOns: known, ItemID: func(priceID string) string {
		return lifecycle.ItemID(&ids{}, sub, priceID)
	}}).Itemized()
	l := &life{
		t: t, store: s, ids: &ids{}, now: created, real: created, captured: map[string]bool{}, lost: map[string]int{},
		credited: map[string]money.Minor{}, redeemed: map[string]redeemed{}, thorough: true,
		limited: map[int64]bool{},
	}
	if in.Coupon != nil {
		l.redeemed[in.Coupon.ID] = redeemed{Terms: in.Coupon.Terms, from: 1, count: 1}
	}
	l.account = account{
		plans: s.plans, settings: settings, plan: first, units: 1, addOns: sub.AddOns, period: sub.CurrentPeriod,
		anchor: sub.AnchorAt, upTo: in.Proration, events: map[event.Type]int{},
	}
	l.account.follow(events, l.store.sub, l.now)
	return l
}

func payer() customer.Customer {
	return customer.Customer{
		ID: "cust_1", PaymentMethod: "card", PaymentDetails: customer.PaymentDetails{PaymentMethodToken: "pm_1"},
	}
}

// sub returns the subscription of the last write.
func (l *life) sub() subscription.Subscription { return l.store.sub }

// facts returns the facts that the rules of the subscription read.
func (l *life) facts() costing.Facts {
	f := l.store.load(false).Situation().Facts
	f.ItemID = func(priceID string) string { return lifecycle.ItemID(l.ids, l.sub(), priceID) }
	return f
}

func (l *life) moment() lifecycle.Moment {
	return lifecycle.Moment{Now: l.now, Real: l.real, IDs: l.ids}
}

// given is the State of a decision, with a copy that shows its changes.
type given struct {
	state, copy lifecycle.State
}

func (l *life) load(captures bool) given {
	g := given{state: l.store.load(captures)}
	if l.thorough {
		g.copy = l.store.clone().load(captures)
	}
	return g
}

func (l *life) untouched(g given) {
	if l.thorough && !same(g.state, g.copy) {
		require.Equal(l.t, g.copy, g.state, "the caller's State was changed in place")
	}
}

// write writes a decision, and checks that the written rows equal the decided ones.
func (l *life) write(g given, state lifecycle.State, changes lifecycle.Changes) {
	before, drafts := l.sub(), g.state.Drafts
	l.untouched(g)
	l.store.write(changes)
	l.store.number(&state)
	if g.state.MayGiveBack() || state.MayGiveBack() { // with captures loaded
		state.Captures = nil
	}
	compare := alike
	if l.thorough {
		compare = same
	}
	if loaded := l.store.load(state.Captures != nil && g.state.Captures != nil); !compare(loaded, state) {
		require.Equal(l.t, loaded, state, "what is read after the write is not what was decided")
	}
	action, at := l.next()
	due := action != subscription.ActionNone && !at.After(l.decided())
	if due != changes.Unfinished {
		require.Equal(l.t, due, changes.Unfinished, "unfinished; %s is due at %s", action, at)
	}
	l.followCoupons(changes)
	l.account.scheduled(before, l.sub(), changes.Events)
	l.account.pended = before.PendingChange
	l.account.follow(changes.Events, l.sub(), l.decided())
	l.account.forget()
	l.check(before, changes)
	l.checkUsage(drafts, changes)
}

// decided returns the time of decisions.
func (l *life) decided() time.Time {
	if !l.store.clock.IsZero() {
		return l.store.clock
	}
	return l.now
}

// advance performs all actions that are due by now.
func (l *life) advance() {
	for range 500 {
		g := l.load(false)
		state, changes, err := lifecycle.Advance(g.state, l.moment())
		require.NoError(l.t, err)
		l.write(g, state, changes)
		if !changes.Unfinished {
			l.idle()
			return
		}
	}
	require.Fail(l.t, "catching up has no end")
}

// idle checks that repeating a decision at once has no effect.
func (l *life) idle() {
	if !l.thorough {
		return
	}
	_, changes, err := lifecycle.Advance(l.store.load(false), l.moment())
	require.NoError(l.t, err)
	require.Equal(l.t, lifecycle.Changes{At: l.decided()}, changes, "repeated, nothing is done again")
}

// apply performs a command, or returns its refusal, which must not have changed anything.
func (l *life) apply(cmd lifecycle.Command) (lifecycle.Changes, error) {
	if l.abroad {
		cmd = fromAbroad(cmd)
	}
	cancel, _ := cmd.(lifecycle.Cancel)
	pause, _ := cmd.(lifecycle.Pause)
	g := l.load(lifecycle.GivesBack(cmd))
	l.account.refunding = cancel.RefundUnused || pause.CreditUnused
	state, changes, err := lifecycle.Apply(g.state, cmd, l.moment())
	if err != nil {
		l.account.refunding = false // another command ends it later
		l.untouched(g)
		if l.thorough && (!reflect.DeepEqual(state, lifecycle.State{}) || !reflect.DeepEqual(changes, lifecycle.Changes{})) {
			require.Fail(l.t, "a refusal decides nothing")
		}
		require.NotEqual(l.t, fault.Internal, fault.From(err).Kind, err)
		return changes, err
	}
	l.write(g, state, changes)
	return changes, nil
}

// about returns the facts that a decision about a transaction needs.
func (l *life) about(id string) recording.Result {
	t := *l.store.transaction(id)
	result := recording.Result{Transaction: t, Move: protocol.Next(t, true, l.real), Protocol: protocol}
	if inv := l.store.invoice(t.InvoiceID); t.Type == payment.Charge && inv.Status != invoice.Open {
		closed := *inv
		result.Invoice = &closed
	}
	return result
}

// record records the result of an exchange about a transaction.
func (l *life) record(id string, said answer.Answer, impossible *fault.Error) recording.Recorded {
	t := *l.store.transaction(id)
	g := l.load(false)
	if t.Type == payment.Refund {
		g.state = lifecycle.State{Customer: l.store.customer, ClockNow: l.store.clock}
		g.copy = g.state
	}
	result := l.about(id)
	result.Answer, result.Impossible = said, impossible
	if t.Type == payment.Refund {
		charge := *l.store.transaction(t.ChargeID)
		result.Charge = &charge
	}
	for number := range l.lost[id] {
		result.Sends = append(result.Sends, payment.Send{Number: number + 1, Outcome: answer.NotFound})
	}
	for _, other := range l.store.transactions {
		if other.RecoveredFrom == id {
			result.Recovered = &other
		}
	}
	if said.Outcome == answer.Succeeded && t.Type == payment.Charge &&
		t.Confirms(said.Amount, said.Currency) {
		l.captured[id] = true
	}
	state, recorded, changes, err := recording.Record(g.state, result, l.moment())
	require.NoError(l.t, err)
	if said.Outcome == answer.NotFound && t.EverSent() && !recorded.Transaction.EverSent() {
		l.lost[id]++
	}
	if t.Type == payment.Refund {
		l.untouched(g)
		l.store.write(changes)
		for _, e := range changes.Events {
			review, ok := e.Data.(event.PaymentNeedsReview)
			l.reviewed = l.reviewed || ok && review.Reason == "refunded_twice"
		}
		l.checkMoney()
		return recorded
	}
	l.write(g, state, changes)
	if changes.Unfinished { // the workflow gets a signal, and continues
		l.advance()
	}
	return recorded
}

// until moves time and performs all automatic actions.
func (l *life) until(to time.Time) {
	for {
		action, at := l.next()
		late := l.late && len(l.sub().Scheduled) == 0 // an account cannot separate several changes of one decision
		if due, rates := l.ratesBefore(action, at, to); rates {
			if !late && due.After(l.now) {
				l.moveTo(due)
			} else if late {
				l.moveTo(to)
			}
			l.billUsage()
			continue
		}
		if action == subscription.ActionNone || at.After(to) {
			break
		}
		if !late && at.After(l.now) {
			l.moveTo(at)
		} else if late {
			l.moveTo(to)
		}
		l.advance()
	}
	l.moveTo(to)
	l.announceOverdue()
}

// announceOverdue announces overdue invoices of a canceled subscription, like the reconciler.
func (l *life) announceOverdue() {
	if l.sub().Status != subscription.Canceled {
		return
	}
	g := l.load(false)
	state, changes, err := lifecycle.Overdue(g.state, l.moment())
	require.NoError(l.t, err)
	if len(changes.Events) == 0 {
		require.Empty(l.t, changes.Invoices)
		return
	}
	l.write(g, state, changes)
	for _, inv := range l.open() {
		if inv.Overdue(l.decided()) && inv.OverdueAt.IsZero() {
			require.Equal(l.t, collection.Charging, inv.Collection.Phase, "overdue, and nobody is told")
		}
	}
}

func (l *life) moveTo(at time.Time) {
	if l.store.clock.IsZero() {
		l.real = at
	} else {
		l.store.clock, l.real = at, l.real.Add(time.Minute)
	}
	l.now = at
}

func (l *life) pass(d time.Duration) { l.until(l.now.Add(d)) }

// onClock moves the life to a test clock: real time advances by a minute a step, for any change of the clock.
func (l *life) onClock() {
	l.store.clock = l.now
	l.store.sub.TestClockID = "clk_1"
	l.store.customer.TestClockID = "clk_1"
}

// newMethod gives the customer another payment method, or removes it.
func (l *life) newMethod(can bool) {
	l.store.customer.PaymentMethod = ""
	if can {
		l.store.customer.PaymentMethod = "card"
	}
	if l.sub().Status != subscription.Canceled {
		l.store.sub.MethodChangedAt = l.now
	}
	l.advance()
}

var paris = func() *time.Location {
	location, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		panic(err)
	}
	return location
}()
