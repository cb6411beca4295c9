package lifecycle_test

import (
	"cmp"
	"strconv"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
)

// exchange is one step of the activity Charge: which provider, which move, about what.
type exchange struct {
	txn     payment.Transaction
	side    *side
	earlier *payment.Send // nil: it is about the current send
	number  int
	move    payment.Move
	about   string // the operation that a look-up asks about; empty: the transaction's own
	hint    string // its reference where only the callback has named it
	word    *word
}

// charge does the next step of a transaction, because it is due or because of a callback. What was surely not taken
// goes to the other provider at once.
func (m *machine) charge(id string, w *word) {
	m.refused = ""
	for range len(m.sides) {
		x, ok := m.intend(id, w)
		if !ok {
			return
		}
		answer := m.call(x)
		txn := m.record(x, answer)
		if x.move != payment.MoveSend || txn.Status != payment.Pending || txn.EverSent() || txn.Type != payment.Charge {
			return
		}
		m.refused, w = x.side.config, nil
	}
}

func (m *machine) side(config string) *side {
	for _, s := range m.sides {
		if s.config == config {
			return s
		}
	}
	return nil
}

// intend decides the move and, before a first send, marks it sent.
func (m *machine) intend(id string, w *word) (exchange, bool) {
	x := exchange{txn: *m.store.transaction(id), word: w}
	x.number = x.txn.SendNumber
	if x.txn.Status != payment.Pending && x.txn.ProviderConfigID == "" {
		return x, false
	}
	config := x.txn.ProviderConfigID
	if !x.txn.EverSent() && x.txn.Type == payment.Charge {
		config = ""
	}
	told := payment.Told{}
	if w != nil {
		told = payment.Told{Ref: w.about.ref, Evidence: w.evidence != nil}
		if config != "" && config != w.about.at.config {
			x.earlier = m.sendOf(id, w.about)
			x.number, x.about = x.earlier.Number, w.about.ref
		}
		config = w.about.at.config
	}
	if config == "" {
		config = m.route()
	}
	x.side = m.side(config)
	if x.earlier != nil {
		x.move = x.earlier.Ask(x.side.Protocol, told)
		return x, x.move != payment.MoveAwait
	}
	x.txn.Provider, x.txn.ProviderConfigID = x.side.config, x.side.config
	known := x.txn.ProviderRef
	if x.txn, x.move, x.about = x.txn.Attend(x.side.Protocol, w != nil, told, m.now); known == "" {
		x.hint = x.txn.ProviderRef
	}
	if x.move == payment.MoveNone {
		return x, false
	}
	if x.move == payment.MoveSend {
		x.txn = x.txn.Sending(x.side.Protocol, m.now)
		x.number = x.txn.SendNumber
		m.store.saveTransaction(x.txn)
		m.sends[id] = append(m.sends[id], payment.Send{Number: x.number, ProviderConfigID: config, Key: key(id, x.number)})
	}
	return x, true
}

// route chooses who takes a new send: the first that has not just refused it, unless its breaker is open.
func (m *machine) route() string {
	first, second := m.sides[0].config, m.sides[1].config
	open := !m.calm && m.refused == "" && m.draw(6, "the primary's breaker is open") == 0
	if m.refused == first || open {
		return second
	}
	return first
}

func (m *machine) sendOf(id string, op *operation) *payment.Send {
	for _, s := range m.sends[id] {
		if s.Key == op.key {
			return &s
		}
	}
	m.t.Fatalf("a callback about an operation that was never sent: %+v", op)
	return nil
}

func key(id string, number int) string { return id + ":" + strconv.Itoa(number) }

// call is the exchange itself.
func (m *machine) call(x exchange) payment.Answer {
	refund := x.txn.Type == payment.Refund
	ref := cmp.Or(x.about, x.txn.ProviderRef)
	switch x.move {
	case payment.MoveBelieve:
		return *x.word.evidence
	case payment.MoveAbandon:
		return payment.Answer{Outcome: payment.AnswerCanceled}
	case payment.MoveSend, payment.MoveReplay:
		return m.send(x)
	case payment.MoveLookup, payment.MoveCancel:
		op := x.side.find(ref, key(x.txn.ID, x.lookedUp()))
		if !m.calm && m.draw(8, "no answer") == 0 {
			return payment.Answer{Outcome: payment.AnswerUnknown}
		}
		if op == nil {
			return payment.Answer{Outcome: payment.AnswerNotFound}
		}
		if x.move == payment.MoveCancel && op.outcome == payment.AnswerPending {
			op.end(payment.AnswerCanceled)
		}
		return op.answer(!refund && x.about == "" && x.earlier == nil)
	default:
		return payment.Answer{}
	}
}

// lookedUp is the number of the send whose key a look-up asks by.
func (x exchange) lookedUp() int {
	if x.earlier == nil && x.txn.FirstSentAt.IsZero() {
		return x.txn.SendNumber + 1
	}
	return x.number
}

// send is a charge or a refund under its key. The provider may say that it did not take a charge that it has taken.
func (m *machine) send(x exchange) payment.Answer {
	sent := key(x.txn.ID, x.number)
	op := x.side.known(sent, m.now)
	lies := op == nil && x.txn.Type == payment.Charge && !m.calm
	const heard = 7
	fate := heard
	if !m.calm {
		fate = m.draw(heard+1, "fate")
	}
	switch {
	case fate == 0:
		return payment.Answer{Outcome: payment.AnswerUnknown} // lost on the way there
	case fate == 1, fate == 2 && !lies:
		return payment.Answer{Outcome: payment.AnswerNotSent}
	}
	if op == nil {
		var of *operation
		if x.txn.Type == payment.Refund {
			of = x.side.find(m.store.transaction(x.txn.ChargeID).ProviderRef, "")
			require.NotNil(m.t, of, "a refund at a provider that has no such charge: %+v", x.txn)
		}
		op = x.side.accept(x.txn, sent, of, m.now)
		if end := m.draw(3, "at once"); end > 0 {
			op.end([]payment.Outcome{payment.AnswerSucceeded, payment.AnswerDeclined}[end-1])
			m.words = append(m.words, op.says())
		}
	}
	switch fate {
	case 2: // a lie
		return payment.Answer{Outcome: payment.AnswerNotSent}
	case 3:
		return payment.Answer{Outcome: payment.AnswerUnknown} // lost on the way back
	}
	return op.answer(false)
}

// record writes the answer, and what follows from it.
func (m *machine) record(x exchange, answer payment.Answer) payment.Transaction {
	t := *m.store.transaction(x.txn.ID)
	state := m.store.load(false)
	result := lifecycle.Result{
		Transaction: t, Move: x.move, Asked: x.word != nil, Send: x.earlier, About: x.about, Hint: x.hint,
		Protocol: x.side.Protocol, Answer: answer,
	}
	if !t.EverSent() && x.earlier == nil {
		result.Transaction.Provider, result.Transaction.ProviderConfigID = x.side.config, x.side.config
	}
	switch {
	case t.Type == payment.Refund:
		charge := *m.store.transaction(t.ChargeID)
		state, result.Charge = m.payer(), &charge
	case !state.IsOpen(t.InvoiceID):
		closed := *m.store.invoice(t.InvoiceID)
		result.Invoice = &closed
	}
	another := t.Status == payment.Success && result.Answer.Ref != "" && result.Answer.Ref != t.ProviderRef
	if t.Status == payment.Canceled || x.earlier != nil || another { // as activities.loadResult does
		for _, other := range m.store.transactions {
			if other.RecoveredFrom == t.ID {
				result.Recovered = &other
			}
		}
	}
	for _, other := range m.store.transactions {
		if other.Type == payment.Refund && other.ChargeID == result.Captured().ID {
			result.Refunds = append(result.Refunds, other)
		}
	}
	_, recorded, changes, err := lifecycle.Record(state, result, m.moment())
	if err != nil {
		require.NotEqual(m.t, fault.Internal, fault.From(err).Kind, err)
		return t
	}
	m.parked = m.parked || recorded.NeedsReview != ""
	m.store.write(changes)
	m.advance()
	return recorded.Transaction
}
