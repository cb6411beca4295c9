package db

import (
	"context"

	"perennial/billing/lifecycle"
)

// Write makes the Changes of a decision true; they name the customer of the State that they were decided on. Rows that
// end come before those that take their place, since of both at once some may exist only once. Faults: those of the
// single writes; subscription_changed and transaction_changed, when a row is not of the revision read.
func (tx *Tx) Write(ctx context.Context, environmentID string, s lifecycle.State, c lifecycle.Changes) error {
	var err error
	do := func(write func() error) {
		if err == nil {
			err = write()
		}
	}
	for _, t := range c.Transactions {
		do(func() error { return tx.SaveTransaction(ctx, environmentID, t) })
	}
	for _, inv := range c.Invoices {
		do(func() error { return tx.SaveInvoice(ctx, environmentID, inv) })
	}
	for _, t := range c.NewTransactions {
		do(func() error { return tx.InsertTransaction(ctx, environmentID, t) })
	}
	for _, entry := range c.Credit {
		do(func() error {
			return tx.AddCredit(ctx, environmentID, s.Customer.ID, s.BalanceCurrency(),
				entry.CreditEntry, entry.InvoiceID, c.At)
		})
	}
	for _, settled := range c.Settlements {
		do(func() error {
			return tx.InsertSettlement(ctx, environmentID, settled.InvoiceID, settled.TransactionID, settled.Amount, c.At)
		})
	}
	for _, e := range c.Events {
		do(func() error { return tx.Emit(ctx, environmentID, e) })
	}
	if c.Subscription != nil {
		do(func() error { return tx.SaveSubscription(ctx, environmentID, *c.Subscription) })
		do(func() error { return tx.SaveItems(ctx, environmentID, *c.Subscription, c.Items, c.EndedItems) })
	}
	for _, id := range c.Starts {
		tx.AfterCommit(StartPayment{EnvironmentID: environmentID, ID: id})
	}
	if c.Redeemed != "" {
		tx.RedeemCoupon(environmentID, c.Redeemed)
	}
	for _, inv := range c.NewInvoices {
		do(func() error { return tx.InsertInvoice(ctx, environmentID, inv) })
	}
	for i := range c.CreditNotes { // they get their numbers here: last
		do(func() error { return tx.InsertCreditNote(ctx, environmentID, &c.CreditNotes[i]) })
	}
	for i := range c.Finalized { // and so do these
		do(func() error { return tx.finalizeInvoice(ctx, environmentID, &c.Finalized[i]) })
	}
	return err
}
