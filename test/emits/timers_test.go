package emits

import (
	"time"

	"perennial/activities"
	"perennial/billing/lifecycle"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// timers set the scene of each timer of the table, and return what happens when it is due.
var timers = map[string]func(*stage) func() error{
	"begin":                    func(s *stage) func() error { return s.subscribe(1000, 0, true).due },
	"begin the period is free": func(s *stage) func() error { return s.subscribe(0, 0, true).due },
	"begin without a payment method": func(s *stage) func() error {
		return s.subscribe(1000, 0, false).due
	},
	"trial_notice": func(s *stage) func() error {
		return s.subscribe(1000, 14, true).at(subscription.ActionTrialNotice)
	},
	"trial_end": func(s *stage) func() error {
		return s.subscribe(1000, 3, true).at(subscription.ActionTrialEnd)
	},
	"trial_end without a payment method, where the plan pauses then": func(s *stage) func() error {
		return s.trialWithoutMethod(plan.TrialEndPause).at(subscription.ActionTrialEnd)
	},
	"trial_end without a payment method, where the plan cancels then": func(s *stage) func() error {
		return s.trialWithoutMethod(plan.TrialEndCancel).at(subscription.ActionTrialEnd)
	},
	"resume": func(s *stage) func() error {
		return s.paused(lifecycle.Pause{ResumesAt: s.Clock.Now().AddDate(0, 2, 0)}).at(subscription.ActionResume)
	},
	"renewal_reminder": func(s *stage) func() error {
		l := s.active(1000)
		s.SetMethod(s.t, l.sub().CustomerID, &scene.Wallet)
		s.must(l.due()) // the change wakes the workflow
		return l.at(subscription.ActionRenewalReminder)
	},
	"renewal": func(s *stage) func() error { return s.active(1000).at(subscription.ActionRenewal) },
	"renewal credit covers the invoice": func(s *stage) func() error {
		l := s.active(30000)
		s.must(l.changePlan(1000, false))
		return l.at(subscription.ActionRenewal)
	},
	"renewal a credit grant covers the invoice, and nothing is left of that": func(s *stage) func() error {
		l := s.active(1000)
		_, err := s.grantTo(l.sub().CustomerID, time.Time{})
		s.must(err)
		return l.at(subscription.ActionRenewal)
	},
	"renewal to the plan that waited for it": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.changePlan(3000, true))
		return l.at(subscription.ActionRenewal)
	},
	"renewal to the quantity that waited for it": func(s *stage) func() error {
		l := s.seats()
		s.must(l.change(subscriptions.PlanChange{Quantity: 3, AtPeriodEnd: true}))
		return l.at(subscription.ActionRenewal)
	},
	"renewal the period is free, or the subscription is past due": func(s *stage) func() error {
		return s.pastDue().at(subscription.ActionRenewal)
	},
	"scheduled_change to a larger quantity": func(s *stage) func() error {
		l := s.seats()
		s.must(l.change(subscriptions.PlanChange{Quantity: 3, On: l.soon()}))
		return l.at(subscription.ActionScheduledChange)
	},
	"scheduled_change it is impossible": func(s *stage) func() error {
		l := s.seats()
		s.must(l.change(subscriptions.PlanChange{Quantity: 1, On: l.soon()}))
		return l.at(subscription.ActionScheduledChange)
	},
	"invoice_overdue": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.sent())
		l.wait(subscription.ActionRenewal)
		s.must(l.due())
		return l.at(subscription.ActionInvoiceOverdue)
	},
	"invoice_overdue of a manual invoice":          overdue,
	"invoice_overdue the subscription is canceled": overdueAfterTheEnd,
	"credit_grant_expired something is left of it": grantExpired,
	"payment_method_expiring":                      methodExpiring,
	"overdue_state":                                func(s *stage) func() error { return s.unpaid().review(false) },
	"overdue_state that cancels subscriptions":     func(s *stage) func() error { return s.unpaid().review(true) },
	"cancel": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.command(lifecycle.Cancel{}))
		return l.at(subscription.ActionCancel)
	},
	"cancel prorations wait for the next invoice": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.change(subscriptions.PlanChange{PlanID: l.plan(3000), Proration: subscription.NextInvoice}))
		s.must(l.command(lifecycle.Cancel{}))
		return l.at(subscription.ActionCancel)
	},
	"payment_retry": func(s *stage) func() error { return s.unpaid().at(subscription.ActionPaymentRetry) },
	"payment_retry without a payment method": func(s *stage) func() error {
		l := s.subscribe(1000, 0, false)
		s.must(l.due())
		return l.at(subscription.ActionPaymentRetry)
	},
	"past_due_cancel": func(s *stage) func() error {
		l := s.pastDue()
		for l.sub().NextAction == subscription.ActionRenewal {
			s.must(l.at(subscription.ActionRenewal)())
		}
		return l.at(subscription.ActionPastDueEnd)
	},
	"pending_change_end": func(s *stage) func() error {
		l := s.active(1000)
		s.must(l.pend(3000))
		return l.at(subscription.ActionPendingChangeEnd)
	},
	"incomplete_end": func(s *stage) func() error {
		l := s.subscribeWith(s.plan(1000), subscribing.NewInput{Behavior: subscription.PendPayment}, false)
		s.must(l.due())
		return l.at(subscription.ActionIncompleteEnd)
	},
}

// clocks are the same for test clocks.
var clocks = map[string]func(*stage) func() error{
	"the advance ends": func(s *stage) func() error {
		clock := s.clock()
		s.must(s.advanceClock(clock))
		steps := activities.Clocks{Store: s.Store, Clock: s.Clock.Now}
		return func() error {
			_, err := steps.StepClock(s.ctx, contract.Ref{EnvironmentID: s.Env, ID: clock})
			return err
		}
	},
}

// erasures are the same for the consequences of deleting a customer or a test clock.
var erasures = map[string]func(*stage) func() error{
	"a subscription of the customer is canceled": func(s *stage) func() error {
		s.must(s.deleteCustomer(s.active(1000).sub().CustomerID)())
		return s.eraseBatch
	},
	"a customer of the test clock is deleted": func(s *stage) func() error {
		clock := s.clock()
		s.Customer(s.t, clock)
		s.must(s.service.Clocks.DeleteTestClock(s.ctx, s.by, clock, usecase.Around[testclock.Clock]{}))
		return s.eraseBatch
	},
}

// eraseBatch does the next batch of the newest erasure.
func (s *stage) eraseBatch() error {
	var id string
	if err := s.Pool.QueryRow(s.ctx,
		"select id from erasures order by requested_at desc, id desc limit 1").Scan(&id); err != nil {
		return err
	}
	steps := activities.Erasures{Store: s.Store, Clock: s.Clock.Now}
	_, err := steps.EraseBatch(s.ctx, contract.Ref{EnvironmentID: s.Env, ID: id})
	return err
}

// soon is a date in the current period.
func (l *life) soon() time.Time { return l.sub().CurrentPeriod.Start.AddDate(0, 0, 7) }

// at waits for the next automatic action, and returns the function that performs it.
func (l *life) at(action subscription.Action) func() error {
	l.wait(action)
	return l.due
}
