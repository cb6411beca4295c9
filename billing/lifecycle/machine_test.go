package lifecycle_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/recording"
	"perennial/billing/subscribing"
	"perennial/internal/testkit"
)

// machine runs one invoice through its payments and refunds at two providers, together with invoices of usage. It does
// with the real rules what the activity Charge does with a database and HTTP.
type machine struct {
	t       *rapid.T
	life    *life // of the store; counts its usage
	store   *store
	sold    plan.Plan
	ids     *ids
	now     time.Time
	sides   [2]*side
	sends   map[string][]payment.Send
	words   []word // callbacks of providers, each delivered any number of times
	parked  bool   // a payment needs review
	calm    bool   // providers answer, and tell the truth
	refused bool   // an account certainly refused a send of this step
}

// TestMachine_MoneyOfOneInvoice runs charges, refusals, failovers, callbacks, cancellations, refunds and disputes in
// any order. An invoice has one settlement, no final status is overwritten, and in the end the books equal the money at
// the providers. The store refuses breaches of the first two.
func TestMachine_MoneyOfOneInvoice(t *testing.T) {
	t.Parallel()
	var used atomic.Int64
	t.Cleanup(func() { require.NotZero(t, used.Load(), "some pay for usage") })
	for primary, first := range profiles {
		for backup, second := range profiles {
			t.Run(primary+", then "+backup, func(t *testing.T) {
				t.Parallel()
				var compared, left atomic.Int64
				for range testkit.Scale(1, 50) { // with a hundred lives each
					rapid.Check(t, func(t *rapid.T) {
						m := newMachine(t, first, second)
						t.Repeat(m.actions())
						m.settle()
						if slices.ContainsFunc(m.store.transactions, m.paysUsage) {
							used.Add(1)
						}
						if m.parked {
							left.Add(1)
							return
						}
						compared.Add(1)
						require.Equal(t, m.held(), m.booked(), "what the providers hold, and what the books say")
					})
				}
				require.Greater(t, compared.Load(), left.Load(), "most need no person")
			})
		}
	}
}

// actions returns the possible steps; the one without a name checks after each.
func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"": m.check, "time passes": m.pass, "the worker": m.work, "a provider decides": m.decide, "a callback": m.hear,
		"cancel payment": m.cancelPayment, "cancel": m.cancel, "pay": m.pay, "refund": m.refund,
		"refund again": m.refundAgain, "refund at the dashboard": m.refundElsewhere, "refund comes back": m.comeBack,
		"dispute": m.dispute, "usage": m.use, "a change that waits": m.pend,
	}
}

func newMachine(t *rapid.T, first, second side) *machine {
	m := &machine{t: t, now: created, sends: map[string][]payment.Send{}}
	sold := yearly
	if m.draw(2, "a metered plan") == 0 {
		sold = callingPlan(sold)
	}
	m.sold = sold
	in := subscribing.NewInput{TrialDays: new(int)}
	if m.draw(3, "it waits for its first payment") == 0 {
		in.Behavior = waiting[m.draw(len(waiting), "payment behavior")]
	}
	m.life = newLifeOf(t, []plan.Plan{sold, larger(sold)}, settings, sold, in)
	m.store, m.ids = m.life.store, m.life.ids
	first.config, second.config = "pp_1", "pp_2"
	m.sides = [2]*side{&first, &second}
	m.advance()
	return m
}

func (m *machine) moment() lifecycle.Moment {
	return lifecycle.Moment{Now: m.now, Real: m.now, IDs: m.ids}
}

// draw chooses a number below n.
func (m *machine) draw(n int, what string) int { return rapid.IntRange(0, n-1).Draw(m.t, what) }

func (m *machine) advance() {
	for {
		_, changes, err := lifecycle.Advance(m.store.load(false), m.moment())
		require.NoError(m.t, err)
		m.store.write(changes)
		m.billUsage()
		if !changes.Unfinished {
			return
		}
	}
}

// check checks the invariants after every step.
func (m *machine) check(*rapid.T) {
	for _, t := range m.store.transactions {
		if t.Type == payment.Charge && t.AmountRefunded+t.RefundOwed > t.Amount {
			m.t.Fatalf("more goes back than came in: %+v", t)
		}
	}
}

// choose draws a transaction; nil: none matches.
func (m *machine) choose(such func(payment.Transaction) bool) *payment.Transaction {
	var found []int
	for i, t := range m.store.transactions {
		if such(t) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &m.store.transactions[found[m.draw(len(found), "transaction")]]
}

// chooseOp draws an operation at a provider; nil: none matches.
func (m *machine) chooseOp(such func(*operation) bool) *operation {
	var found []*operation
	for _, s := range m.sides {
		for _, op := range s.ops {
			if such(op) {
				found = append(found, op)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[m.draw(len(found), "operation")]
}

func (m *machine) pass(*rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.Int64Range(int64(time.Second), int64(8*time.Hour)).Draw(m.t, "passes")))
	m.advance()
}

// work handles a due payment.
func (m *machine) work(*rapid.T) {
	if t := m.choose(m.isDue); t != nil {
		m.charge(t.ID, nil)
	}
}

func (m *machine) isDue(t payment.Transaction) bool {
	return t.Status == payment.Pending && t.ParkedAt.IsZero() && !t.NextCheckAt.After(m.now)
}

func (m *machine) decide(*rapid.T) {
	if op := m.chooseOp(func(op *operation) bool { return op.outcome == answer.Pending }); op != nil {
		op.end([]answer.Outcome{
			answer.Succeeded, answer.Succeeded, answer.Failed,
		}[m.draw(3, "end")])
		m.words = append(m.words, op.says())
	}
}

func (m *machine) hear(*rapid.T) {
	if len(m.words) > 0 {
		w := m.words[m.draw(len(m.words), "word")]
		m.charge(w.about.txn, &w)
	}
}

func (m *machine) cancelPayment(*rapid.T) {
	t := m.choose(func(t payment.Transaction) bool { return t.Type == payment.Charge && t.Status == payment.Pending })
	if t == nil {
		return
	}
	_, changes, err := recording.CancelPayment(m.store.load(false), recording.Result{Transaction: *t}, m.moment())
	m.write(changes, err)
}

func (m *machine) cancel(*rapid.T) {
	if m.draw(4, "one in four") == 0 {
		_, changes, err := lifecycle.Apply(m.store.load(false), lifecycle.Cancel{Immediate: true}, m.moment())
		m.write(changes, err)
	}
}

func (m *machine) pay(*rapid.T) {
	_, changes, err := lifecycle.Apply(m.store.load(false), lifecycle.Pay{}, m.moment())
	m.write(changes, err)
}

func (m *machine) refund(*rapid.T) {
	if t := m.choose(func(t payment.Transaction) bool { return t.Captured().Refundable() > 0 }); t != nil {
		amount := money.Minor(1 + m.draw(int(t.Captured().Refundable()), "amount"))
		changes, err := lifecycle.RefundCharge(m.payer(), *t, amount, m.moment())
		m.write(changes, err)
	}
}

func (m *machine) refundAgain(*rapid.T) {
	if t := m.choose(func(t payment.Transaction) bool { return t.RefundOwed > 0 }); t != nil {
		changes, err := lifecycle.RetryRefund(m.payer(), *t, m.moment())
		m.write(changes, err)
	}
}

// payer returns the State for decisions that touch only transactions.
func (m *machine) payer() lifecycle.State { return lifecycle.State{Customer: m.store.customer} }

func (m *machine) refundElsewhere(*rapid.T) {
	if op := m.chooseOp(func(op *operation) bool { return m.moves(op) && op.left() > 0 }); op != nil {
		op.elsewhere = append(op.elsewhere, answer.Refund{
			Ref: op.ref + "_" + string(rune('a'+len(op.elsewhere))), Amount: money.Minor(1 + m.draw(int(op.left()), "amount")),
		})
		m.words = append(m.words, op.says())
	}
}

// moves reports whether a person or a bank can move the money of an operation: a booked charge. Moves before the
// callback of another charge are not read.
func (m *machine) moves(op *operation) bool {
	return op.of == nil && op.at.lists && slices.ContainsFunc(m.store.transactions, func(t payment.Transaction) bool {
		return t.ID == op.txn && t.Status == payment.Success && t.ProviderRef == op.ref
	})
}

// comeBack makes a bank return a refund.
func (m *machine) comeBack(*rapid.T) {
	refunded := func(op *operation) bool { return op.of != nil && op.outcome == answer.Succeeded }
	if op := m.chooseOp(refunded); op != nil && m.draw(3, "one in three") == 0 {
		op.outcome = answer.Failed
		m.words = append(m.words, op.says())
	}
}

// dispute opens a dispute, or closes an open one.
func (m *machine) dispute(*rapid.T) {
	op := m.chooseOp(func(op *operation) bool {
		return m.moves(op) && (len(op.disputes) > 0 || op.left() > 0)
	})
	switch {
	case op == nil:
		return
	case len(op.disputes) == 0:
		op.disputes = append(op.disputes, answer.Dispute{
			Ref: op.ref + "_dispute", State: answer.DisputeOpen, Amount: op.left(), Currency: "EUR", Withdrawn: op.left(),
			Order: 1,
		})
	case op.disputes[0].State == answer.DisputeOpen:
		closed := op.disputes[0]
		closed.State, closed.Order = answer.DisputeLost, 2
		if m.draw(2, "won") == 0 {
			closed.State, closed.Withdrawn = answer.DisputeWon, 0
		}
		op.disputes = []answer.Dispute{closed}
	}
	m.words = append(m.words, op.says())
}

// write writes a decision, or ignores a refusal.
func (m *machine) write(changes lifecycle.Changes, err error) {
	if err != nil {
		require.NotEqual(m.t, fault.Internal, fault.From(err).Kind, err)
		return
	}
	m.store.write(changes)
	m.advance()
}

// settle ends all operations: providers decide, each callback arrives twice, and due actions are performed.
func (m *machine) settle() {
	pending := func(t payment.Transaction) bool { return t.Status == payment.Pending && t.ParkedAt.IsZero() }
	m.calm = true
	for range 400 {
		atRest := !slices.ContainsFunc(m.store.transactions, pending) // later callbacks have the final state
		for _, s := range m.sides {
			for _, op := range s.ops {
				if op.outcome == answer.Pending {
					op.end(answer.Succeeded)
					m.words = append(m.words, op.says())
				}
			}
		}
		for range 2 {
			for _, w := range m.words {
				m.charge(w.about.txn, &w)
			}
		}
		next := time.Time{}
		for _, t := range slices.Clone(m.store.transactions) {
			if !pending(t) {
				continue
			}
			if m.isDue(t) {
				m.charge(t.ID, nil)
			}
			if t = *m.store.transaction(t.ID); pending(t) && (next.IsZero() || t.NextCheckAt.Before(next)) {
				next = t.NextCheckAt
			}
		}
		if atRest && !slices.ContainsFunc(m.store.transactions, pending) {
			return
		}
		if next.After(m.now) {
			m.now = next
			m.advance()
		}
	}
	m.t.Fatalf("it does not come to an end")
}

// held returns the sum of the customer's money at the providers.
func (m *machine) held() (sum money.Minor) {
	for _, s := range m.sides {
		for _, op := range s.ops {
			if op.of == nil {
				sum += op.left()
			}
		}
	}
	return sum
}

// booked returns the same sum from the books.
func (m *machine) booked() (sum money.Minor) {
	for _, t := range m.store.transactions {
		switch {
		case t.Status == payment.Success:
			sum += t.Amount
		case t.Status == payment.Refunded && t.ReturnedAt.IsZero():
			sum -= t.Amount
		}
	}
	return sum
}
