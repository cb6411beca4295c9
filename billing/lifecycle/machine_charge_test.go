package lifecycle_test

import (
	"cmp"
	"strconv"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/billing/routing"
)

// exchange is one step of the activity Charge.
type exchange struct {
	charging.Step

	side *side
}

// charge performs the steps of charging.Next for a transaction that is due or has a callback.
func (m *machine) charge(id string, w *word) {
	progress := charging.Progress{Asked: w != nil}
	for range 2 * len(m.sides) {
		x := m.intend(id, w, progress)
		if x.Move == payment.MoveNone || x.Move == payment.MoveAwait && x.Earlier != nil {
			return
		}
		said := m.call(x)
		txn := m.record(x, said)
		var goes charging.Goes
		if progress, goes = progress.After(x.Step, said.Outcome, 0, txn, m.now); goes == charging.Ends {
			return
		}
		m.refused = len(progress.Refused) > 0
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

// intend decides the step and, before a first send, marks the transaction as sent.
func (m *machine) intend(id string, w *word, progress charging.Progress) exchange {
	s := charging.Situation{Transaction: *m.store.transaction(id), Now: m.now, Progress: progress}
	s.Known.Accounts, s.Known.Probes = map[string]charging.Account{}, map[string]bool{}
	step := charging.Next(s)
	for ; step.Need != nil; step = charging.Next(s) {
		m.learn(&s.Known, *step.Need, id, w)
	}
	x := exchange{step.Begun("", m.now), m.side(step.AccountID)}
	if x.Move == payment.MoveSend {
		m.store.saveTransaction(x.Transaction)
		m.sends[id] = append(m.sends[id], payment.Send{
			Number: x.Number, ProviderConfigID: x.AccountID, Key: key(id, x.Number),
		})
	}
	return x
}

// learn looks up the facts of a decision. w is the callback that it is made for; nil: none.
func (m *machine) learn(known *charging.Known, need charging.Need, id string, w *word) {
	here := w != nil && w.about.at.config == need.AccountID
	switch need.Of {
	case charging.NeedElsewhere:
		known.Elsewhere = &charging.Elsewhere{}
		if w != nil && !here {
			known.Elsewhere = &charging.Elsewhere{AccountID: w.about.at.config, Reference: w.about.ref, Key: w.about.key}
		}
	case charging.NeedSends:
		sends := m.sends[id]
		known.Sends = &sends
	case charging.NeedRouting:
		known.Routing = &charging.Routing{AccountIDs: []string{m.sides[0].config, m.sides[1].config}}
		for i, side := range m.sides {
			known.Accounts[side.config] = m.account(side, i == 0)
		}
	case charging.NeedAccount:
		known.Accounts[need.AccountID] = m.account(m.side(need.AccountID), false)
	case charging.NeedReference:
		ref := ""
		if here {
			ref = w.about.ref
		}
		known.Reference = &ref
	case charging.NeedEvidence:
		known.Evidence = &[]charging.Evidence{}
		if here && w.evidence != nil {
			known.Evidence = &[]charging.Evidence{{Answer: *w.evidence}}
		}
	default:
		m.t.Fatalf("a database that was never restored needs no %v", need.Of)
	}
}

// account returns the account of a provider for routing. The primary is sometimes suspended, unless it has just refused
// a charge.
func (m *machine) account(s *side, primary bool) charging.Account {
	a := charging.Account{Opening: charging.Open, Protocol: s.Protocol}
	a.ID, a.Provider, a.Primary = s.config, s.config, primary
	if primary && !m.calm && !m.refused && m.draw(6, "the primary's breaker is open") == 0 {
		a.Breaker = routing.Breaker{OpenedAt: m.now, ProbeAt: m.now.Add(time.Minute)}
	}
	return a
}

func key(id string, number int) string { return id + ":" + strconv.Itoa(number) }

// call performs the exchange.
func (m *machine) call(x exchange) answer.Answer {
	refund := x.Transaction.Type == payment.Refund
	ref := cmp.Or(x.About, x.Transaction.ProviderRef)
	switch x.Move {
	case payment.MoveBelieve:
		return x.Evidence[0].Answer
	case payment.MoveAbandon:
		return answer.Answer{Outcome: answer.Canceled}
	case payment.MoveSend, payment.MoveReplay:
		return m.send(x)
	case payment.MoveLookup, payment.MoveCancel:
		op := x.side.find(ref, key(x.Transaction.ID, x.KeyNumber()))
		if !m.calm && m.draw(8, "no answer") == 0 {
			return answer.Answer{Outcome: answer.Unknown}
		}
		if op == nil {
			return answer.Answer{Outcome: answer.NotFound}
		}
		if x.Move == payment.MoveCancel && op.outcome == answer.Pending {
			op.end(answer.Canceled)
		}
		return op.answer(!refund && x.About == "" && x.Earlier == nil)
	default:
		return answer.Answer{}
	}
}

// send sends a charge or a refund with its key. The provider may answer that it did not take a charge that it took.
func (m *machine) send(x exchange) answer.Answer {
	sent := key(x.Transaction.ID, x.Number)
	op := x.side.known(sent, m.now)
	lies := op == nil && x.Transaction.Type == payment.Charge && !m.calm
	const heard = 7
	fate := heard
	if !m.calm {
		fate = m.draw(heard+1, "fate")
	}
	switch {
	case fate == 0:
		return answer.Answer{Outcome: answer.Unknown} // lost on the way to the provider
	case fate == 1, fate == 2 && !lies:
		return answer.Answer{Outcome: answer.NotSent}
	}
	if op == nil {
		var of *operation
		if x.Transaction.Type == payment.Refund {
			of = x.side.find(m.store.transaction(x.Transaction.ChargeID).ProviderRef, "")
			require.NotNil(m.t, of, "a refund at a provider that has no such charge: %+v", x.Transaction)
		}
		op = x.side.accept(x.Transaction, sent, of, m.now)
		if end := m.draw(3, "at once"); end > 0 {
			op.end([]answer.Outcome{answer.Succeeded, answer.Declined}[end-1])
			m.words = append(m.words, op.says())
		}
	}
	switch fate {
	case 2: // a lie
		return answer.Answer{Outcome: answer.NotSent}
	case 3:
		return answer.Answer{Outcome: answer.Unknown} // lost on the way back
	}
	return op.answer(false)
}

// record records the answer, with its effects.
func (m *machine) record(x exchange, said answer.Answer) payment.Transaction {
	t := *m.store.transaction(x.Transaction.ID)
	state := m.store.load(false)
	about := x.Concerns(t, said)
	result := recording.Result{
		Transaction: about.Transaction, Move: x.Move, Asked: x.Asked, Send: x.Earlier, About: x.About, Hint: x.Hint,
		Protocol: x.side.Protocol, Answer: said,
	}
	switch {
	case t.Type == payment.Refund:
		charge := *m.store.transaction(t.ChargeID)
		state, result.Charge = m.payer(), &charge
	case !state.IsOpen(t.InvoiceID):
		closed := *m.store.invoice(t.InvoiceID)
		result.Invoice = &closed
	}
	if t.Status == payment.Canceled || about.Recovered {
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
	_, recorded, changes, err := recording.Record(state, result, m.moment())
	if err != nil {
		require.NotEqual(m.t, fault.Internal, fault.From(err).Kind, err)
		return t
	}
	m.parked = m.parked || recorded.NeedsReview != ""
	m.store.write(changes)
	m.advance()
	return recorded.Transaction
}
