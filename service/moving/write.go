package moving

import (
	"context"

	"perennial/billing/audit"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/moving"
	"perennial/billing/subscription"
	"perennial/db"
)

// insert writes the objects and the records of a batch. The writes are queued and sent with the commit.
func (im *importing) insert(ctx context.Context, tx *db.Tx, arrived []arrival) error {
	var subscriptions []subscription.Subscription
	records := make([]db.ImportedRecord, 0, len(arrived))
	for _, a := range arrived {
		records = append(records, a.known())
		var err error
		switch a.record.Type {
		case moving.CustomerType:
			err = tx.Customers.Insert(ctx, im.by.EnvironmentID, a.customer)
		case moving.BalanceType:
			b := *a.record.Balance
			entry := invoice.CreditEntry{Amount: b.Amount, Reason: invoice.CreditImported}
			err = tx.Customers.AddCredit(ctx, im.by.EnvironmentID, a.customer.ID, b.Currency, entry, "", im.now)
		case moving.SubscriptionType:
			subscriptions = append(subscriptions, a.subscription)
		default:
			err = im.insertPart(ctx, tx, a)
		}
		if err != nil {
			return err
		}
	}
	if err := tx.Subscriptions.InsertAll(ctx, im.by.EnvironmentID, subscriptions); err != nil {
		return err
	}
	if err := tx.Moving.InsertImportedRecords(ctx, im.by.EnvironmentID, im.Source, im.of, records); err != nil {
		return err
	}
	return im.announce(ctx, tx, arrived)
}

// insertPart writes an object other than a customer, a balance or a subscription.
func (im *importing) insertPart(ctx context.Context, tx *db.Tx, a arrival) error {
	switch a.record.Type {
	case moving.PaymentMethodType:
		if a.method.Default { // the insert of the customer wrote it
			return tx.Customers.DescribeDefault(ctx, im.by.EnvironmentID, a.method)
		}
		return tx.Customers.InsertPaymentMethod(ctx, im.by.EnvironmentID, a.method)
	case moving.CreditGrantType:
		return tx.Customers.InsertOldCreditGrant(ctx, im.by.EnvironmentID, a.grant, im.now)
	case moving.EndpointType:
		return im.endpoints.RegisterDisabled(ctx, tx, im.by, a.endpointID, a.endpoint)
	case moving.SettingsType:
		if len(a.changed) == 0 {
			return nil
		}
		tx.AuditChanges(audit.Changes("environment", a.changed, im.locked, *a.settings)...)
		return tx.Tenancy.SaveSettings(ctx, im.by.EnvironmentID, im.locked, *a.settings)
	default:
		return im.insertSold(ctx, tx, a)
	}
}

// announce sends the events of imported objects, where Announce is set.
func (im *importing) announce(ctx context.Context, tx *db.Tx, arrived []arrival) error {
	if !im.Announce {
		return nil
	}
	for _, a := range arrived {
		var data event.Data
		switch s := a.subscription; a.record.Type {
		case moving.CustomerType:
			data = event.CustomerCreated{ID: a.customer.ID}
		case moving.SubscriptionType:
			data = event.SubscriptionCreated{
				Subscription: event.OfSubscription(s.ID, s.CustomerID), Status: string(s.Status), PlanID: s.PlanID,
			}
		default:
			continue
		}
		if err := tx.Emit(ctx, im.by.EnvironmentID, event.New(data, im.now)); err != nil {
			return err
		}
	}
	return nil
}
