package db

import (
	"context"
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/db/core"
)

// writes go on until one fails.
type writes struct{ err error }

func (w *writes) do(write func() error) {
	if w.err == nil {
		w.err = write()
	}
}

// Write makes the Changes of a decision true; they name the customer of the State that they were decided on. Rows that
// end come before those that take their place, since of both at once some may exist only once. Faults: those of the
// single writes; subscription_changed and transaction_changed, when a row is not of the revision read.
func (tx *Tx) Write(ctx context.Context, environmentID string, s lifecycle.State, c lifecycle.Changes) error {
	var all writes
	for _, t := range c.Transactions {
		all.do(func() error { return tx.SaveTransaction(ctx, environmentID, t) })
	}
	for _, inv := range c.Invoices {
		if finalizedIn(c, inv.ID) < 0 {
			all.do(func() error { return tx.SaveInvoice(ctx, environmentID, inv) })
		}
	}
	for _, id := range c.Discarded {
		all.do(func() error { return tx.DeleteDraft(ctx, environmentID, id) })
	}
	for _, inv := range c.Redrawn {
		all.do(func() error { return tx.SaveDraft(ctx, environmentID, inv) })
	}
	for _, inv := range c.NewDrafts {
		all.do(func() error { return tx.InsertDraft(ctx, environmentID, inv) })
	}
	for _, t := range c.NewTransactions {
		all.do(func() error { return tx.InsertTransaction(ctx, environmentID, t) })
	}
	for _, entry := range c.Credit {
		all.do(func() error {
			return tx.AddCredit(ctx, environmentID, s.Customer.ID, s.BalanceCurrency(),
				entry.CreditEntry, entry.InvoiceID, c.At)
		})
	}
	for _, settled := range c.Settlements {
		all.do(func() error {
			return tx.InsertSettlement(ctx, environmentID, settled.InvoiceID, settled.TransactionID, settled.Amount, c.At)
		})
	}
	for _, e := range c.Events {
		all.do(func() error { return tx.Emit(ctx, environmentID, e) })
	}
	if c.Subscription != nil {
		all.do(func() error { return tx.SaveSubscription(ctx, environmentID, *c.Subscription) })
		all.do(func() error { return tx.SaveItems(ctx, environmentID, *c.Subscription, c.Items, c.EndedItems) })
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
	all.do(func() error { return tx.writeNumbered(ctx, environmentID, c) })
	return all.err
}

// writeNumbered writes what gets a number, which is known once it is written: last, since a counter's row stays locked
// from here to the commit.
func (tx *Tx) writeNumbered(ctx context.Context, environmentID string, c lifecycle.Changes) error {
	var all writes
	for _, inv := range c.NewInvoices {
		all.do(func() error { return tx.InsertInvoice(ctx, environmentID, inv) })
	}
	for i := range c.CreditNotes {
		all.do(func() error { return tx.InsertCreditNote(ctx, environmentID, &c.CreditNotes[i]) })
	}
	for i := range c.Finalized {
		all.do(func() error { return tx.finalizeInvoice(ctx, environmentID, &c.Finalized[i]) })
	}
	for i := range c.Invoices { // what became of one after it was issued
		j := finalizedIn(c, c.Invoices[i].ID)
		if j < 0 {
			continue
		}
		inv, issued := &c.Invoices[i], c.Finalized[j]
		inv.Number, inv.NumberText, inv.Seller, inv.Buyer = issued.Number, issued.NumberText, issued.Seller, issued.Buyer
		all.do(func() error { return tx.SaveInvoice(ctx, environmentID, *inv) })
	}
	return all.err
}

// finalizedIn is the place of an invoice among those that get their number; below zero: it is none of them.
func finalizedIn(c lifecycle.Changes, invoiceID string) int {
	return slices.IndexFunc(c.Finalized, func(f invoice.Invoice) bool { return f.ID == invoiceID })
}
