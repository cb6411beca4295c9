package emits

import (
	"time"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/test/scene"
)

// answers set the scene of each answer of a provider in the table, and return the answer.
var answers = map[string]func(*stage) func() error{
	"succeeded the first invoice": func(s *stage) func() error { return s.begun(1000).says(answer.Succeeded) },
	"succeeded a later invoice": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.at(subscription.ActionRenewal)())
		return l.says(answer.Succeeded)
	},
	"succeeded the last debt of a customer in a state of the overdue policy": func(s *stage) func() error {
		l := s.begun(1000)
		s.must(l.watchDebts(false))
		s.must(l.answer(answer.Declined))
		s.must(l.at(subscription.ActionPaymentRetry)())
		return l.says(answer.Succeeded)
	},
	"succeeded an invoice that a change of plan waits for": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.pend(3000))
		return l.says(answer.Succeeded)
	},
	"succeeded an invoice of a past-due subscription": func(s *stage) func() error {
		l := s.pastDue()
		s.must(l.command(lifecycle.Pay{}))
		return l.says(answer.Succeeded)
	},
	"succeeded an invoice of a past-due subscription whose current period is not billed: it is now": func(s *stage) func() error {
		l := s.pastDue()
		s.must(l.at(subscription.ActionRenewal)())
		s.must(l.command(lifecycle.Pay{}))
		return l.says(answer.Succeeded)
	},
	"succeeded an invoice that is void: the money goes back": func(s *stage) func() error {
		l := s.unpaid()
		s.must(giveUp(l, s.service.Invoices.VoidInvoice)())
		return l.says(answer.Succeeded)
	},
	"succeeded a payment of its own": func(s *stage) func() error { return s.charged(answer.Succeeded) },
	"succeeded a refund": func(s *stage) func() error {
		return s.refunding().saysOfRefund(answer.Succeeded)
	},
	"succeeded another amount than asked for": func(s *stage) func() error {
		txn, err := s.charge(true)
		s.must(err)
		return func() error {
			return s.hear(txn.ID, answer.Answer{Outcome: answer.Succeeded, Amount: 1001, Currency: "EUR"})
		}
	},
	"succeeded refunded at the provider, without us": func(s *stage) func() error {
		txn, err := s.charge(true)
		s.must(err)
		s.must(s.hear(txn.ID, answer.Answer{Outcome: answer.Succeeded}))
		return func() error {
			return s.hear(txn.ID, answer.Answer{
				Outcome: answer.Succeeded, Refunds: []answer.Refund{{Ref: "re_1", Amount: 300}},
			})
		}
	},
	"succeeded a payment whose payer has disputed it": func(s *stage) func() error {
		return s.disputed(answer.DisputeOpen, 1000)
	},
	"succeeded a payment whose dispute was answered": func(s *stage) func() error {
		return s.disputed(answer.DisputeUnderReview, 1000)
	},
	"succeeded a payment whose dispute was won": func(s *stage) func() error {
		return s.disputed(answer.DisputeWon, 0)
	},
	"declined an invoice": func(s *stage) func() error {
		return s.begun(1000).says(answer.Declined)
	},
	"declined an invoice, and the overdue policy has a state for it": func(s *stage) func() error {
		l := s.begun(1000)
		s.must(l.watchDebts(false))
		return l.says(answer.Declined)
	},
	"declined the last retry of an invoice": func(s *stage) func() error {
		return s.retried().says(answer.Declined)
	},
	"declined a payment of its own": func(s *stage) func() error { return s.charged(answer.Declined) },
	"failed an invoice": func(s *stage) func() error {
		return s.begun(1000).says(answer.Failed)
	},
	"failed a refund, also one that had gone through": func(s *stage) func() error {
		l := s.refunding()
		s.must(l.saysOfRefund(answer.Succeeded)())
		return l.saysOfRefund(answer.Failed)
	},
	"canceled the attempt of a canceled subscription": func(s *stage) func() error {
		l := s.begun(1000)
		s.must(l.command(lifecycle.Cancel{Immediate: true}))
		return l.says(answer.Canceled)
	},
	"pending an invoice whose payer must confirm the payment": func(s *stage) func() error {
		return s.begun(1000).asksPayer()
	},
	"canceled an attempt that its payer did not confirm in time": func(s *stage) func() error {
		l := s.begun(1000)
		s.must(l.asksPayer()())
		s.pass(2)
		return l.says(answer.Canceled)
	},
	"pending an invoice": func(s *stage) func() error { return s.begun(1000).says(answer.Pending) },
	"unknown":            func(s *stage) func() error { return s.begun(1000).says(answer.Unknown) },
	"not_sent":           func(s *stage) func() error { return s.begun(1000).says(answer.NotSent) },
	"succeeded a payment of its own, the first request since our credentials were refused": func(s *stage) func() error {
		txn, err := s.charge(true)
		s.must(err)
		s.must(s.send(txn.ID, scene.Unauthorized))
		s.Clock.Set(s.Clock.Now().Add(time.Hour)) // it is sent again, and not looked up
		return func() error { return s.send(txn.ID, scene.Capture) }
	},
	"not_sent our credentials are refused (401, 403), which is news": func(s *stage) func() error {
		txn, err := s.charge(true)
		s.must(err)
		return func() error { return s.send(txn.ID, scene.Unauthorized) }
	},
	"not_found a charge that the provider never received": func(s *stage) func() error {
		return s.begun(1000).says(answer.NotFound)
	},
}

// disputed records the provider's answer about a payment that was disputed, or whose dispute was open before.
func (s *stage) disputed(state answer.DisputeState, withdrawn money.Minor) func() error {
	txn, err := s.charge(true)
	s.must(err)
	s.must(s.hear(txn.ID, answer.Answer{Outcome: answer.Succeeded}))
	say := func(state answer.DisputeState, withdrawn money.Minor) error {
		return s.hear(txn.ID, answer.Answer{Outcome: answer.Succeeded, Disputes: []answer.Dispute{
			{Ref: "du_1", State: state, Amount: 1000, Currency: "EUR", Withdrawn: withdrawn},
		}})
	}
	if state != answer.DisputeOpen {
		s.must(say(answer.DisputeOpen, 1000))
	}
	return func() error { return say(state, withdrawn) }
}

// send sends a payment to the provider, which follows the script.
func (s *stage) send(txn string, script scene.Answer) error {
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return script }
	_, err := s.Payments.Charge(s.ctx, contract.ResolveInput{EnvironmentID: s.Env, TransactionID: txn, Now: s.Clock.Now()})
	return err
}

// asksPayer is a provider whose page the payer of the newest charge must confirm it on.
func (l *life) asksPayer() func() error {
	txn := l.newest(payment.Charge)
	txn.Action.Token = "TOKEN_" + txn.ID // its send has set it
	l.InTx(l.t, func(tx *db.Tx) error { return tx.Payments.SaveTransaction(l.ctx, l.Env, txn) })
	return func() error {
		return l.hear(txn.ID, answer.Answer{Outcome: answer.Pending, ConfirmURL: "https://bank.example"})
	}
}

func (l *life) says(outcome answer.Outcome) func() error {
	return func() error { return l.answer(outcome) }
}

func (l *life) saysOfRefund(outcome answer.Outcome) func() error {
	return func() error { return l.hear(l.newest(payment.Refund).ID, answer.Answer{Outcome: outcome}) }
}

func (s *stage) charged(outcome answer.Outcome) func() error {
	txn, err := s.charge(true)
	s.must(err)
	return func() error { return s.hear(txn.ID, answer.Answer{Outcome: outcome}) }
}
