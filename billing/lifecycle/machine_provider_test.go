package lifecycle_test

import (
	"fmt"
	"time"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// profiles has the protocols of the four providers.
var profiles = map[string]side{
	"asked and replayed": {Protocol: protocol, lists: true},
	"told only":          {Protocol: payment.Protocol{Window: 7 * 24 * time.Hour, Cancel: true}, lists: true},
	"asked by key": {Protocol: payment.Protocol{
		Window: 24 * time.Hour, LookupByKey: true, LookupByRef: true, AbsenceAfter: 15 * time.Minute,
		Checks: []time.Duration{15 * time.Second, time.Minute, 5 * time.Minute}, Expiry: 15 * time.Minute,
	}},
	"asked, without proof of absence": {
		Protocol: payment.Protocol{Window: 24 * time.Hour, LookupByKey: true, LookupByRef: true}, lists: true,
	},
}

// side is one provider with its real operations, which its answers may contradict. It forgets keys after its window.
type side struct {
	payment.Protocol
	lists  bool // look-ups and callbacks have disputes, and refunds from its dashboard
	config string
	ops    []*operation
}

// operation is a charge or a refund at a provider.
type operation struct {
	at        *side
	txn, key  string
	ref       string
	of        *operation // of a refund: its charge
	amount    money.Minor
	outcome   answer.Outcome
	begun     time.Time
	elsewhere []answer.Refund // of a charge: refunds from the dashboard
	disputes  []answer.Dispute
}

// word is one callback. It can be delivered at any time, and repeatedly.
type word struct {
	about    *operation
	evidence *answer.Answer // nil: the provider must be polled
}

// known returns the operation of a key that the provider still remembers.
func (s *side) known(key string, now time.Time) *operation {
	for _, op := range s.ops {
		if op.key == key && now.Sub(op.begun) < s.Window {
			return op
		}
	}
	return nil
}

// find returns the operation of a reference, or of a key where the provider looks up keys.
func (s *side) find(ref, key string) *operation {
	for _, op := range s.ops {
		if ref != "" && op.ref == ref || ref == "" && s.LookupByKey && op.key == key {
			return op
		}
	}
	return nil
}

// accept begins an operation.
func (s *side) accept(t payment.Transaction, key string, of *operation, now time.Time) *operation {
	op := &operation{
		at: s, txn: t.ID, key: key, of: of, amount: t.Amount, outcome: answer.Pending, begun: now,
		ref: fmt.Sprintf("%s_%d", s.config, len(s.ops)),
	}
	s.ops = append(s.ops, op)
	return op
}

// end decides a pending operation. A refund above the rest fails.
func (op *operation) end(outcome answer.Outcome) {
	if op.of != nil && outcome == answer.Succeeded && op.amount > op.of.left() {
		outcome = answer.Failed
	}
	op.outcome = outcome
}

// left returns the part of a charge that was not returned.
func (op *operation) left() money.Minor {
	if op.outcome != answer.Succeeded {
		return 0
	}
	left := op.amount
	for _, r := range op.at.ops {
		if r.of == op && r.outcome == answer.Succeeded {
			left -= r.amount
		}
	}
	for _, r := range op.elsewhere {
		left -= r.Amount
	}
	for _, d := range op.disputes {
		left -= d.Withdrawn
	}
	return left
}

// answer returns the provider's answer about an operation; since adds the refunds and disputes of a charge.
func (op *operation) answer(since bool) answer.Answer {
	a := answer.Answer{Outcome: op.outcome, Ref: op.ref}
	switch {
	case op.outcome == answer.Succeeded:
		a.Amount, a.Currency = op.amount, "EUR"
	case op.outcome != answer.Pending:
		a.FailureCode, a.FailureReason = answer.DeclinedCode, "no"
	}
	if !since || op.of != nil || !op.at.lists || op.outcome != answer.Succeeded {
		return a
	}
	for _, r := range op.at.ops {
		if r.of == op && (r.outcome == answer.Succeeded || r.outcome == answer.Pending) {
			a.Refunds = append(a.Refunds, answer.Refund{
				Ref: r.ref, TransactionID: r.txn, Amount: r.amount, Pending: r.outcome == answer.Pending,
			})
		}
	}
	a.Refunds, a.Disputes = append(a.Refunds, op.elsewhere...), append(a.Disputes, op.disputes...)
	return a
}

// says returns a callback about the operation in its present state. Only a provider without look-ups signs evidence.
func (op *operation) says() word {
	w := word{about: op}
	if !op.at.LookupByKey && !op.at.LookupByRef {
		a := op.answer(true)
		w.evidence = &a
	}
	return w
}
