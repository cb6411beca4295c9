package service

import (
	"context"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/moving"
	"perennial/db"
)

// insert writes what a record leads to, and that it was imported. The writes are queued and sent with the others of the
// batch.
func (im *importing) insert(ctx context.Context, tx *db.Tx, a arrival) error {
	environmentID := im.by.EnvironmentID
	var announced event.Data
	var err error
	switch a.record.Type {
	case moving.CustomerType:
		announced = event.CustomerCreated{ID: a.customer.ID}
		err = tx.InsertCustomer(ctx, environmentID, a.customer)
	case moving.BalanceType:
		b := *a.record.Balance
		entry := invoice.CreditEntry{Amount: b.Amount, Reason: invoice.CreditImported}
		err = tx.AddCredit(ctx, environmentID, a.customer.ID, b.Currency, entry, "", im.now)
	case moving.SubscriptionType:
		s := a.subscription
		announced = event.SubscriptionCreated{
			Subscription: event.OfSubscription(s.ID, s.CustomerID), Status: string(s.Status), PlanID: s.PlanID,
		}
		err = tx.InsertSubscription(ctx, environmentID, s)
	}
	if err != nil {
		return err
	}
	if im.Announce && announced != nil {
		if err := tx.Emit(ctx, environmentID, event.New(announced, im.now)); err != nil {
			return err
		}
	}
	return tx.InsertImportedRecord(ctx, environmentID, a.record.Type, a.known())
}
