package db

import (
	"context"

	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Bundle is a subscription with all that a decision about it depends on.
type Bundle struct {
	Subscription  subscription.Subscription
	Customer      customer.Customer
	CreditBalance money.Minor // of the customer, in the subscription's currency
	Plan          plan.Plan
	PendingPlan   *plan.Plan
	Settings      subscription.Settings
	TestClock     *TestClock
	Open          []invoice.Invoice     // open invoices with lines, oldest first
	Paid          []invoice.Invoice     // paid invoices with lines, for time in the current period
	Live          *payment.Transaction  // the pending charge of the invoice in collection, else of another open one
	Pending       []payment.Transaction // pending charges of the subscription, whatever for, oldest first
	Provider      *ProviderConfig       // the environment's primary; nil: none
}

// LoadSubscription reads a Bundle in one round trip. With lock the customer (shared) and its credit, the subscription, its
// open invoices and its pending charges stay as they are until the transaction ends. Fault: subscription_not_found.
func (tx *Tx) LoadSubscription(ctx context.Context, environmentID, id string, lock bool) (Bundle, error) {
	l := loader{ctx: ctx, environmentID: environmentID, id: id, lock: lock}
	err := tx.together(ctx,
		// In lock order. What follows a lock in the batch sees what was committed before the lock was granted.
		l.readCustomer, l.readBalance, l.readSubscription, l.readOpen, l.readPending,
		l.readEnvironment, l.readClock, l.readPlans, l.readPrices, l.readPaid, l.readLines, l.readProvider)
	if err != nil {
		return Bundle{}, readError("subscription", err)
	}
	l.give()
	return l.Bundle, nil
}

// give puts the parts to what they belong to.
func (l *loader) give() {
	for _, row := range l.plans {
		p := planFromDB(row.Plan)
		for _, price := range l.prices {
			if price.Price.PlanID == p.ID {
				p.Prices = append(p.Prices, priceFromDB(price.Price))
			}
		}
		if p.ID == l.Subscription.PlanID {
			l.Plan = p
		}
		if p.ID == l.Subscription.PendingPlanID {
			l.PendingPlan = &p
		}
	}
	for _, row := range l.lines {
		for _, invoices := range [][]invoice.Invoice{l.Open, l.Paid} {
			for i := range invoices {
				if invoices[i].ID == row.InvoiceID {
					invoices[i].Lines = append(invoices[i].Lines, lineFromDB(row))
				}
			}
		}
	}
	for _, row := range l.pending {
		t := transactionFromDB(row.Transaction)
		l.Pending = append(l.Pending, t)
		inCollection := t.InvoiceID == l.Subscription.CollectingInvoiceID
		if t.InvoiceID != "" && (l.Live == nil || inCollection) {
			l.Live = &t
		}
	}
}
