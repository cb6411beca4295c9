package db

import (
	"context"
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/db/core"
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
		if finalizedIn(c, inv.ID) < 0 {
			do(func() error { return tx.SaveInvoice(ctx, environmentID, inv) })
		}
	}
	for _, id := range c.Discarded {
		do(func() error { return tx.DeleteDraft(ctx, environmentID, id) })
	}
	for _, inv := range c.Redrawn {
		do(func() error { return tx.SaveDraft(ctx, environmentID, inv) })
	}
	for _, inv := range c.NewDrafts {
		do(func() error { return tx.InsertDraft(ctx, environmentID, inv) })
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
		tx.AfterCommit(core.StartPayment{EnvironmentID: environmentID, ID: id})
	}
	if c.Redeemed != "" {
		tx.RedeemCoupon(environmentID, c.Redeemed)
	}
	for _, id := range c.Unredeemed {
		tx.UnredeemCoupon(environmentID, id)
	}
	do(func() error { return tx.writeNumbered(ctx, environmentID, c) })
	return err
}

// writeNumbered writes what gets a number, which is known once it is written: last, since a counter's row stays locked
// from here to the commit.
func (tx *Tx) writeNumbered(ctx context.Context, environmentID string, c lifecycle.Changes) error {
	var err error
	do := func(write func() error) {
		if err == nil {
			err = write()
		}
	}
	for _, inv := range c.NewInvoices {
		do(func() error { return tx.InsertInvoice(ctx, environmentID, inv) })
	}
	for i := range c.CreditNotes {
		do(func() error { return tx.InsertCreditNote(ctx, environmentID, &c.CreditNotes[i]) })
	}
	for i := range c.Finalized {
		do(func() error { return tx.finalizeInvoice(ctx, environmentID, &c.Finalized[i]) })
	}
	for i := range c.Invoices { // what became of one after it was issued
		j := finalizedIn(c, c.Invoices[i].ID)
		if j < 0 {
			continue
		}
		inv, issued := &c.Invoices[i], c.Finalized[j]
		inv.Number, inv.NumberText, inv.Seller, inv.Buyer = issued.Number, issued.NumberText, issued.Seller, issued.Buyer
		do(func() error { return tx.SaveInvoice(ctx, environmentID, *inv) })
	}
	return err
}

// finalizedIn is the place of an invoice among those that get their number; below zero: it is none of them.
func finalizedIn(c lifecycle.Changes, invoiceID string) int {
	return slices.IndexFunc(c.Finalized, func(f invoice.Invoice) bool { return f.ID == invoiceID })
}
