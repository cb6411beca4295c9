package emits

import (
	"perennial/activities/due"
	debts "perennial/billing/overdue"
	"perennial/db"
	"perennial/service/customers"
)

// watchDebts gives the customer a policy with a state for a single unpaid invoice.
func (l *life) watchDebts(cancels bool) error {
	policy := debts.Policy{States: []debts.State{{Name: "blocked", Invoices: 1, DenyAccess: true, Cancel: cancels}}}
	_, err := l.service.Customers.UpdateCustomer(l.ctx, l.by, l.sub().CustomerID,
		customers.CustomerUpdate{Overdue: &customers.Overdue{Policy: &policy}}, nil)
	return err
}

// review sets the scene for the review of a customer's debts under a new policy.
func (l *life) review(cancels bool) func() error {
	l.must(l.watchDebts(cancels))
	of := db.Ref{EnvironmentID: l.Env, ID: l.sub().CustomerID}
	return func() error { return due.ReviewDebts(l.ctx, l.Store, of, l.Clock.Now()) }
}
