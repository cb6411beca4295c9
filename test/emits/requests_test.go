package emits

import (
	"context"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/testclock"
	"perennial/db"
	"perennial/service/catalog"
	"perennial/service/invoices"
	"perennial/service/payments"
	"perennial/service/subscriptions"
	"perennial/service/tenancy"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// requests set the scene of each request of the table, and return the request.
var requests = map[string]func(*stage) func() error{
	"createCustomer": func(s *stage) func() error {
		return func() error {
			_, err := s.service.Customers.CreateCustomer(s.ctx, s.by, customer.Customer{Email: "ada@example.com"}, nil)
			return err
		}
	},
	"updateCustomer":                 func(s *stage) func() error { return s.updateCustomer("Ada") },
	"verifyTaxId":                    func(s *stage) func() error { return s.verifyTaxID() },
	"updateCustomer nothing changes": func(s *stage) func() error { return s.updateCustomer("Canary Person") },
	"deleteCustomer":                 func(s *stage) func() error { return s.deleteCustomer(s.Customer(s.t, "").ID) },
	"createPlan":                     func(s *stage) func() error { return s.createPlan() },
	"updatePlan": func(s *stage) func() error {
		planID, active := s.plan(1000), false
		return func() error {
			_, err := s.service.Catalog.UpdatePlan(s.ctx, s.by, planID, catalog.PlanUpdate{Active: &active}, nil)
			return err
		}
	},
	"createPlanVersion": func(s *stage) func() error {
		planID, days := s.plan(1000), 7
		return func() error {
			_, err := s.service.Catalog.CreatePlanVersion(s.ctx, s.by, planID, catalog.NewPlanVersion{TrialDays: &days}, nil)
			return err
		}
	},
	"migratePlan for each subscription that moves now, to dearer prices": func(s *stage) func() error {
		return s.migration(subscriptions.PlanMigration{})
	},
	"migratePlan for each that moves at the end of its period": func(s *stage) func() error {
		return s.migration(subscriptions.PlanMigration{AtPeriodEnd: true})
	},
	"createSubscription": func(s *stage) func() error { return s.create(14) },
	"createSubscription with a trial of three days or less": func(s *stage) func() error { return s.create(3) },
	"previewNewSubscription": func(s *stage) func() error {
		return func() error {
			in := subscriptions.NewSubscription{CustomerID: s.Customer(s.t, "").ID, PlanID: s.plan(1000)}
			return s.service.Subscriptions.PreviewNewSubscription(s.ctx, s.by, in, 1, usecase.Around[subscriptions.Previewed]{})
		}
	},
	"previewSubscription": func(s *stage) func() error {
		l := s.active(1000)
		return func() error {
			return s.service.Subscriptions.PreviewSubscription(s.ctx, s.by, l.ref.ID,
				subscriptions.Preview{Change: &subscriptions.PlanChange{
					PlanID: s.plan(3000),
				}}, usecase.Around[subscriptions.Previewed]{})
		}
	},
	"updateSubscription to a dearer plan": func(s *stage) func() error { return s.replan(1000, 3000) },
	"updateSubscription to a cheaper plan: a credit note pays the invoice": func(s *stage) func() error {
		return s.replan(3000, 1000)
	},
	"updateSubscription while the period's invoice is unpaid: it is replaced": func(s *stage) func() error {
		l := s.unpaid()
		return func() error { return l.changePlan(3000, false) }
	},
	"updateSubscription in a trial": func(s *stage) func() error {
		l := s.subscribe(1000, 14, true)
		return func() error { return l.changePlan(3000, false) }
	},
	"updateSubscription its metadata": func(s *stage) func() error {
		l := s.subscribe(1000, 14, true)
		return func() error { return l.command(lifecycle.SetMetadata{Metadata: metadata.Pairs{"team": "blue"}}) }
	},
	"updateSubscription the end of a trial": func(s *stage) func() error {
		l := s.subscribe(1000, 14, true)
		return func() error { return l.command(lifecycle.EndTrial{At: s.Clock.Now().AddDate(0, 0, 30)}) }
	},
	"updateSubscription the end of a trial, to now": func(s *stage) func() error {
		l := s.subscribe(1000, 14, true)
		s.pass(1)
		return func() error { return l.command(lifecycle.EndTrial{At: s.Clock.Now()}) }
	},
	"updateSubscription to a dearer plan, and the proration waits for the next invoice": func(s *stage) func() error {
		l := s.active(1000)
		return func() error {
			return l.change(subscriptions.PlanChange{PlanID: l.plan(3000), Proration: subscription.NextInvoice})
		}
	},
	"updateSubscription its anchor": func(s *stage) func() error {
		l := s.active(1000)
		s.pass(10)
		return func() error { return l.command(lifecycle.MoveAnchor{}) }
	},
	"updateSubscription to a dearer plan, once it is paid": func(s *stage) func() error {
		l := s.active(1000)
		return func() error { return l.pend(3000) }
	},
	"updateSubscription to a larger quantity": func(s *stage) func() error {
		l := s.seats()
		return func() error { return l.change(subscriptions.PlanChange{Quantity: 3}) }
	},
	"updateSubscription at the end of the period, or to stay after all": func(s *stage) func() error {
		l := s.active(1000)
		return func() error { return l.changePlan(3000, true) }
	},
	"updateSubscription at a date": func(s *stage) func() error {
		l := s.seats()
		return func() error { return l.change(subscriptions.PlanChange{Quantity: 3, On: l.soon()}) }
	},
	"withdrawScheduledChange": func(s *stage) func() error {
		l := s.seats()
		s.must(l.change(subscriptions.PlanChange{Quantity: 3, On: l.soon()}))
		return func() error { return l.command(lifecycle.WithdrawChange{ID: l.sub().Scheduled[0].ID}) }
	},
	"withdrawScheduledChange that waits for its payment": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.pend(3000))
		return func() error { return l.command(lifecycle.WithdrawChange{ID: l.sub().PendingChange.ID}) }
	},
	"cancelSubscription now, with a scheduled change": func(s *stage) func() error {
		l := s.seats()
		s.must(l.change(subscriptions.PlanChange{Quantity: 3, On: l.soon()}))
		return func() error { return l.command(lifecycle.Cancel{Immediate: true}) }
	},
	"cancelSubscription at the end of the period": func(s *stage) func() error {
		l := s.active(1000)
		return func() error { return l.command(lifecycle.Cancel{}) }
	},
	"cancelSubscription again, for another reason": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.command(lifecycle.Cancel{}))
		return func() error { return l.command(lifecycle.Cancel{Reason: "too dear"}) }
	},
	"cancelSubscription of a paused one": func(s *stage) func() error {
		l := s.paused(lifecycle.Pause{})
		return func() error { return l.command(lifecycle.Cancel{}) }
	},
	"pauseSubscription": func(s *stage) func() error {
		l := s.active(1000)
		return func() error { return l.command(lifecycle.Pause{}) }
	},
	"pauseSubscription with credit for unused time": func(s *stage) func() error {
		l := s.active(1000)
		s.pass(10)
		return func() error { return l.command(lifecycle.Pause{CreditUnused: true}) }
	},
	"pauseSubscription of a paused one: the end of the pause moves": func(s *stage) func() error {
		l := s.paused(lifecycle.Pause{})
		return func() error { return l.command(lifecycle.Pause{ResumesAt: s.Clock.Now().AddDate(0, 1, 0)}) }
	},
	"resumeSubscription": func(s *stage) func() error {
		l := s.paused(lifecycle.Pause{})
		return func() error { return l.command(lifecycle.Resume{}) }
	},
	"cancelSubscription now": func(s *stage) func() error {
		l := s.active(1000)
		return func() error { return l.command(lifecycle.Cancel{Immediate: true}) }
	},
	"cancelSubscription now, with a refund of unused time": func(s *stage) func() error {
		l := s.active(1000)
		s.pass(10)
		return func() error { return l.command(lifecycle.Cancel{Immediate: true, RefundUnused: true}) }
	},
	"reactivateSubscription": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.command(lifecycle.Cancel{}))
		return func() error { return l.command(lifecycle.Reactivate{}) }
	},
	"createPayment of its own": func(s *stage) func() error {
		return func() error { _, err := s.charge(true); return err }
	},
	"createPayment of its own, without a payment method": func(s *stage) func() error {
		return func() error { _, err := s.charge(false); return err }
	},
	"createPayment of a subscription's invoice": func(s *stage) func() error {
		l := s.unpaid()
		return func() error { return l.command(lifecycle.Pay{}) }
	},
	"renewInvoiceLink": func(s *stage) func() error { return giveUp(s.unpaid(), s.service.Hosted.RenewLink) },
	"voidInvoice":      func(s *stage) func() error { return giveUp(s.unpaid(), s.service.Invoices.VoidInvoice) },
	"voidInvoice of a past-due subscription": func(s *stage) func() error {
		return giveUp(s.pastDue(), s.service.Invoices.VoidInvoice)
	},
	"voidInvoice that a change waits for": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.pend(3000))
		s.must(l.answer(answer.Declined))
		return giveUp(l, s.service.Invoices.VoidInvoice)
	},
	"voidInvoice it had a coupon taken off": func(s *stage) func() error {
		l := s.active(1000)
		made, err := s.coupon()
		s.must(err)
		s.must(l.command(lifecycle.RedeemCoupon{Code: made.Code}))
		l.wait(subscription.ActionRenewal)
		s.must(l.due())
		s.must(l.answer(answer.Declined))
		return giveUp(l, s.service.Invoices.VoidInvoice)
	},
	"markInvoiceUncollectible": func(s *stage) func() error {
		return giveUp(s.unpaid(),
			s.service.Invoices.MarkUncollectible)
	},
	"markInvoiceUncollectible of a past-due subscription": func(s *stage) func() error {
		return giveUp(s.pastDue(), s.service.Invoices.MarkUncollectible)
	},
	"markInvoicePaid": func(s *stage) func() error {
		l := s.active(1000)
		l.wait(subscription.ActionRenewal)
		s.must(l.due())
		s.must(l.answer(answer.Declined))
		return giveUp(l, s.markPaid)
	},
	"markInvoicePaid of a past-due subscription": func(s *stage) func() error { return giveUp(s.pastDue(), s.markPaid) },
	"createCreditNote":                           func(s *stage) func() error { return s.credit(s.active(1000), 400) },
	"createCreditNote of all that is due of the first invoice": func(s *stage) func() error {
		return s.credit(s.unpaid(), 0)
	},
	"retryInvoice": func(s *stage) func() error {
		l := s.unpaid()
		id := l.invoice().ID
		return func() error {
			return s.service.Invoices.PayInvoice(s.ctx, s.by, lifecycle.Pay{InvoiceID: id}, usecase.Around[usecase.Performed]{})
		}
	},
	"skipInvoiceRetry": func(s *stage) func() error { return giveUp(s.unpaid(), s.service.Invoices.SkipRetry) },
	"skipInvoiceRetry the last one": func(s *stage) func() error {
		l := s.unpaid()
		s.must(giveUp(l, s.service.Invoices.SkipRetry)())
		s.must(giveUp(l, s.service.Invoices.SkipRetry)())
		return giveUp(l, s.service.Invoices.SkipRetry)
	},
	"resumeCollection": func(s *stage) func() error {
		l := s.pastDue()
		_, err := s.Pool.Exec(s.ctx, "update subscriptions set collection_paused_at = past_due_at where id = $1", l.ref.ID)
		s.must(err)
		return func() error { return l.command(lifecycle.ResumeCollection{}) }
	},
	"updateSettings": func(s *stage) func() error { return s.updateSettings(subscription.AccruePastDue) },
	"updateSettings nothing changes": func(s *stage) func() error {
		s.must(s.updateSettings(subscription.SkipPastDue)())
		return s.updateSettings(subscription.SkipPastDue)
	},
	"refundPayment": func(s *stage) func() error {
		txn, err := s.charge(true)
		s.must(err)
		s.must(s.hear(txn.ID, answer.Answer{Outcome: answer.Succeeded}))
		return func() error {
			return s.service.Payments.RefundCharge(s.ctx, s.by, txn.ID, payments.ChargeRefund{Amount: 300},
				usecase.Around[payment.Transaction]{})
		}
	},
	"refundPayment of an invoice": func(s *stage) func() error {
		l := s.active(1000)
		paid, _, err := s.Store.Payments.Transactions(s.ctx, s.by.EnvironmentID,
			db.TransactionFilter{SubscriptionID: l.sub().ID}, db.Page{Limit: 1, Unsettled: true})
		s.must(err)
		return func() error {
			return s.service.Payments.RefundCharge(s.ctx, s.by, paid[0].ID,
				payments.ChargeRefund{Amount: 300, CreditNote: true}, usecase.Around[payment.Transaction]{})
		}
	},
	"cancelPayment": func(s *stage) func() error {
		txn, err := s.charge(true)
		s.must(err)
		return func() error {
			return s.service.Payments.CancelPayment(s.ctx, s.by, txn.ID, usecase.Around[payment.Transaction]{})
		}
	},
	"retryRefund":  func(s *stage) func() error { return owed(s, s.service.Payments.RetryRefund) },
	"creditRefund": func(s *stage) func() error { return owed(s, s.service.Payments.CreditRefund) },
	"createTestClock": func(s *stage) func() error {
		return func() error {
			_, err := s.service.Clocks.CreateTestClock(s.ctx, s.by, "clock", scene.Start, nil)
			return err
		}
	},
	"advanceTestClock": func(s *stage) func() error {
		clock := s.clock()
		return func() error { return s.advanceClock(clock) }
	},
	"stopTestClock": func(s *stage) func() error {
		clock := s.clock()
		s.must(s.advanceClock(clock))
		return func() error {
			return s.service.Clocks.StopTestClock(s.ctx, s.by, clock, usecase.Around[testclock.Clock]{})
		}
	},
	"deleteTestClock": func(s *stage) func() error {
		clock := s.clock()
		return func() error {
			return s.service.Clocks.DeleteTestClock(s.ctx, s.by, clock, usecase.Around[testclock.Clock]{})
		}
	},
	"resolvePayment succeeded": func(s *stage) func() error { return s.resolve(payment.DecideSucceeded) },
	"resolvePayment failed":    func(s *stage) func() error { return s.resolve(payment.DecideFailed) },
	"resolvePayment returned":  func(s *stage) func() error { return s.resolve(payment.DecideReturned) },
}

func (s *stage) updateSettings(way subscription.PastDueBilling) func() error {
	return func() error {
		_, err := s.service.Tenancy.UpdateSettings(s.ctx, s.by, tenancy.SettingsUpdate{PastDueBilling: &way}, nil)
		return err
	}
}

// resolve ends the review of a payment that captured another amount than asked for.
func (s *stage) resolve(decision payment.Decision) func() error {
	txn, err := s.charge(true)
	s.must(err)
	s.must(s.hear(txn.ID, answer.Answer{Outcome: answer.Succeeded, Amount: 1001, Currency: "EUR"}))
	return func() error {
		return s.service.Payments.ResolvePayment(s.ctx, s.by, payments.Resolution{
			PaymentID: txn.ID, Decision: decision, Note: "the provider's dashboard says so",
		}, usecase.Around[payment.Transaction]{})
	}
}

func (s *stage) create(trialDays int) func() error {
	c, planID := s.Customer(s.t, ""), s.plan(1000)
	return func() error {
		_, err := s.service.Subscriptions.CreateSubscription(s.ctx, s.by, subscriptions.NewSubscription{
			CustomerID: c.ID, PlanID: planID, Wishes: subscribing.NewInput{TrialDays: &trialDays},
		}, nil)
		return err
	}
}

// replan changes the plan ten days into a paid period.
func (s *stage) replan(from, to money.Minor) func() error {
	l := s.active(from)
	s.pass(10)
	return func() error { return l.changePlan(to, false) }
}

// charge makes a payment of its own.
func (s *stage) charge(card bool) (payment.Transaction, error) {
	c := s.Customer(s.t, "")
	if !card {
		s.SetMethod(s.t, c.ID, nil)
	}
	return s.service.Payments.ChargeCustomer(s.ctx, s.by,
		payments.NewCharge{CustomerID: c.ID, Amount: 1000, Currency: "EUR"}, nil)
}

// markPaid settles an invoice by a payment that was made outside.
func (s *stage) markPaid(
	ctx context.Context, by usecase.Caller, invoiceID string, around usecase.Around[invoice.Invoice],
) error {
	paid := lifecycle.MarkPaid{InvoiceID: invoiceID, Method: "cash"}
	return s.service.Invoices.MarkPaid(ctx, by, invoices.OutsidePayment{MarkPaid: paid}, around)
}

// owed is a charge whose refund has failed.
func owed(
	s *stage, how func(context.Context, usecase.Caller, string, usecase.Around[payment.Transaction]) error,
) func() error {
	l := s.refunding()
	s.must(l.hear(l.newest(payment.Refund).ID, answer.Answer{Outcome: answer.Failed}))
	charge := l.newest(payment.Charge)
	require.Positive(s.t, charge.RefundOwed)
	return func() error { return how(s.ctx, s.by, charge.ID, usecase.Around[payment.Transaction]{}) }
}

func (s *stage) clock() string {
	s.t.Helper()
	clock, err := s.service.Clocks.CreateTestClock(s.ctx, s.by, "clock", scene.Start, nil)
	s.must(err)
	return clock.ID
}

func (s *stage) advanceClock(id string) error {
	return s.service.Clocks.AdvanceTestClock(s.ctx, s.by, id, scene.Start.AddDate(0, 1, 0),
		usecase.Around[testclock.Clock]{})
}
