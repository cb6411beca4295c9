package lifecycle_test

import (
	"pgregory.net/rapid"

	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// waiting are the behaviors with which a change, or a new subscription, waits for its payment.
var waiting = []subscription.PaymentBehavior{subscription.PendPayment, subscription.AttemptOnce}

// larger is the plan of the machine's changes that wait for their payment.
func larger(sold plan.Plan) plan.Plan {
	large := flat("plan_larger", sold.Interval, money.Minor(20000))
	large.Metered = sold.Metered
	return large
}

// pend requests a change that waits for its payment, or withdraws the one that waits.
func (m *machine) pend(*rapid.T) {
	if c := m.store.sub.PendingChange; c != nil {
		_, changes, err := lifecycle.Apply(m.store.load(false), lifecycle.WithdrawChange{ID: c.ID}, m.moment())
		m.write(changes, err)
		return
	}
	to := m.store.plans[plan.Ref{ID: "plan_larger", Version: 1}]
	if m.store.sub.PlanID == to.ID {
		to = m.sold
	}
	cmd := lifecycle.ChangePlan{Plan: &to, Behavior: waiting[m.draw(len(waiting), "payment behavior")]}
	_, changes, err := lifecycle.Apply(m.store.load(false), cmd, m.moment())
	m.write(changes, err)
}
