package lifecycle

import (
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// ChangePlan moves the subscription to another plan, another quantity or other add-ons, now, at the period's end or at
// a date. Faults: those of subscribing.ChangePlan and subscribing.ScheduleChange.
type ChangePlan subscribing.Change

// Name returns change_plan.
func (ChangePlan) Name() string { return "change_plan" }

func (c ChangePlan) judge(d *Decision) (func() error, error) {
	c = c.in(d.Subscription.Currency)
	brought := c.brings()
	if c.Behavior.Waits() {
		c.ID = d.IDs.ScheduledChange(d.Real)
	}
	situation := d.situation().Knowing(brought...)
	var made subscribing.Decision
	var err error
	if c.On.IsZero() {
		made, err = situation.ChangePlan(subscribing.Change(c), d.Now)
	} else {
		made, err = situation.ScheduleChange(subscribing.Change(c), d.IDs.ScheduledChange(d.Real), d.Now)
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		d.brought = brought
		return d.carryOut(made)
	}, nil
}

// in returns the change with the prices of a currency. A plan or add-on without such prices stays as it is. It is
// refused where the change leads to it: a request for a present one keeps its version.
func (c ChangePlan) in(currency money.Currency) ChangePlan {
	if c.Plan != nil {
		to := c.Plan.InIfOffered(currency)
		c.Plan = &to
	}
	if c.AddOns != nil {
		addOns := subscription.InCurrency(*c.AddOns, currency)
		c.AddOns = &addOns
	}
	return c
}

// brings returns the requested plan and add-ons.
func (c ChangePlan) brings() (brought []plan.Plan) {
	if c.Plan != nil {
		brought = append(brought, *c.Plan)
	}
	if c.AddOns != nil {
		brought = append(brought, subscription.PlansOf(*c.AddOns)...)
	}
	return brought
}

// WithdrawChange withdraws a scheduled change. Faults: those of subscribing.WithdrawChange.
type WithdrawChange struct{ ID string }

// Name returns change_plan: the workflow handles it as a change of plan, with another date to wait for.
func (WithdrawChange) Name() string { return "change_plan" }

func (c WithdrawChange) judge(d *Decision) (func() error, error) {
	made, err := d.situation().WithdrawChange(c.ID, d.Now)
	return func() error { return d.carryOut(made) }, err
}

// await notes the invoice that the change of the present decision waits for.
func await(d *Decision, invoiceID string) {
	one := *d.Subscription.PendingChange
	one.InvoiceID = invoiceID
	d.Subscription.PendingChange = &one
}

// expireChange ends the time to pay for the change that waits.
func expireChange(d *Decision) error {
	settled := func(inv invoice.Invoice) bool { return d.Subscription.Pays(inv.ID) }
	if i := slices.IndexFunc(d.Paid, settled); i >= 0 { // by a build from before changes could wait
		return d.decide(d.settled(d.Paid[i]))
	}
	return d.decide(subscribing.ExpireChange(d.situation(), attemptsLate(d), d.Now))
}

// withdrawChange voids the invoice of a change that is not made. It counts for no later decision: the id of the change
// takes the place of the invoice that would have replaced it.
func withdrawChange(d *Decision, c subscription.PendingChange) error {
	i := d.IndexOpen(c.InvoiceID)
	if i < 0 { // voided by a build from before changes could wait
		return nil
	}
	_, err := void(d, i, c.ID, true)
	return err
}

// withdrawsPending returns the withdrawal of the change that waits for the payment of an invoice; ok is false where
// none does.
func withdrawsPending(d *Decision, invoiceID string) (carryOut func() error, ok bool) {
	if !d.Subscription.Pays(invoiceID) {
		return nil, false
	}
	return func() error { return d.carryOut(subscribing.WithdrawPending(d.situation(), d.Now)) }, true
}

// unawaited refuses to give up or reduce an invoice that a change waits for. Fault: change_pending.
func unawaited(s subscription.Subscription, invoiceID string) error {
	if s.Pays(invoiceID) {
		return subscribing.ErrChangePending
	}
	return nil
}
