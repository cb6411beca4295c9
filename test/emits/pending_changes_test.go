package emits

import (
	"context"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
)

// pend changes the plan once its invoice is paid.
func (l *life) pend(amount money.Minor) error {
	return l.change(subscriptions.PlanChange{PlanID: l.plan(amount), Behavior: subscription.PendPayment})
}

func giveUp(
	l *life, how func(context.Context, usecase.Caller, string, usecase.Around[invoice.Invoice]) error,
) func() error {
	id := l.invoice().ID
	return func() error { return how(l.ctx, l.by, id, usecase.Around[invoice.Invoice]{}) }
}
