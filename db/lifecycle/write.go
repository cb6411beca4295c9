package lifecycle

import (
	"context"

	"perennial/billing/lifecycle"
	"perennial/db/core"
	"perennial/db/customers"
)

// writes runs writes until one fails.
type writes struct{ err error }

func (w *writes) do(write func() error) {
	if w.err == nil {
		w.err = write()
	}
}

// Write writes the Changes of a decision; they name the customer of the State that they were decided on. Rows that end
// come before those that replace them, since some may exist only once at a time. Faults: those of the single writes;
// subscription_changed and transaction_changed, when a row is not of the revision read.
func (tx *Tx) Write(ctx context.Context, environmentID string, s lifecycle.State, c lifecycle.Changes) error {
	var all writes
	for _, t := range c.Transactions {
		all.do(func() error { return tx.payments.SaveTransaction(ctx, environmentID, t) })
	}
	all.do(func() error {
		return writeInvoices(ctx, tx, environmentID, c.Invoices, lifecycle.InvoiceChanged, lifecycle.LinesTakenBack)
	})
	for _, t := range c.NewTransactions {
		all.do(func() error { return tx.payments.InsertTransaction(ctx, environmentID, t) })
	}
	for _, a := range c.Adjustments {
		all.do(func() error {
			return tx.customers.AdjustBalance(ctx, environmentID, customers.BalanceEntry{
				ID: a.ID, CustomerID: s.Customer.ID, Currency: s.BalanceCurrency(), Amount: a.Amount,
				Reason: a.Reason, Note: a.Note, After: a.After, CreatedAt: c.At,
			})
		})
	}
	for _, g := range c.NewGrants {
		all.do(func() error { return tx.customers.InsertCreditGrant(ctx, environmentID, g) })
	}
	for _, g := range c.EndedGrants {
		all.do(func() error { return tx.customers.EndCreditGrant(ctx, environmentID, g.Grant, g.Taken, g.Reason, c.At) })
	}
	if c.Standing != nil {
		all.do(func() error { return tx.customers.SaveStanding(ctx, environmentID, s.Customer.ID, *c.Standing) })
	}
	all.do(func() error { return tx.writeUsage(ctx, environmentID, s.Subscription, c) })
	for _, entry := range c.Credit {
		all.do(func() error {
			return tx.customers.AddCredit(ctx, environmentID, s.Customer.ID, s.BalanceCurrency(),
				entry.CreditEntry, entry.InvoiceID, c.At)
		})
	}
	for _, settled := range c.Settlements {
		all.do(func() error {
			return tx.payments.InsertSettlement(ctx, environmentID, settled.InvoiceID, settled.TransactionID, settled.Amount,
				c.At)
		})
	}
	for _, e := range c.Events {
		all.do(func() error { return tx.Emit(ctx, environmentID, e) })
	}
	if c.Subscription != nil {
		all.do(func() error { return tx.subscriptions.Save(ctx, environmentID, *c.Subscription) })
		all.do(func() error {
			return tx.subscriptions.SaveItems(ctx, environmentID, *c.Subscription, c.Items, c.EndedItems)
		})
	}
	if c.AsksThresholds { // after the subscription, whose row shows whether it has any
		all.do(func() error { return tx.askThresholds(ctx, environmentID, s.Subscription.ID) })
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
	all.do(func() error {
		return writeInvoices(ctx, tx, environmentID, c.Invoices, lifecycle.InvoiceCreated, lifecycle.InvoiceCreated)
	})
	for i := range c.CreditNotes {
		all.do(func() error { return tx.invoices.InsertCreditNote(ctx, environmentID, &c.CreditNotes[i]) })
	}
	all.do(func() error {
		return writeInvoices(ctx, tx, environmentID, c.Invoices, lifecycle.InvoiceFinalized, lifecycle.FinalizedAndChanged)
	})
	return all.err
}

// writeInvoices writes the changes of the kinds from first to last.
func writeInvoices(
	ctx context.Context, tx *Tx, environmentID string, all lifecycle.InvoiceChanges, first, last lifecycle.InvoiceKind,
) error {
	for i := range all {
		if kind := all[i].Kind; kind < first || kind > last {
			continue
		}
		if err := writeInvoice(ctx, tx, environmentID, all, &all[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeInvoice writes one of the changes to invoices. One that gets its number is changed to have it.
func writeInvoice(
	ctx context.Context, tx *Tx, environmentID string, all lifecycle.InvoiceChanges, change *lifecycle.InvoiceChange,
) error {
	inv := &change.Invoice
	switch change.Kind {
	case lifecycle.DraftDeleted:
		return tx.invoices.DeleteDraft(ctx, environmentID, inv.ID)
	case lifecycle.DraftUpdated:
		return tx.invoices.SaveDraft(ctx, environmentID, *inv)
	case lifecycle.DraftCreated:
		return tx.invoices.InsertDraft(ctx, environmentID, *inv)
	case lifecycle.LinesTakenBack:
		return tx.invoices.InsertTakenBack(ctx, environmentID, *inv)
	case lifecycle.InvoiceCreated:
		return tx.invoices.Insert(ctx, environmentID, *inv)
	case lifecycle.InvoiceFinalized:
		return tx.invoices.Finalize(ctx, environmentID, inv)
	case lifecycle.FinalizedAndChanged:
		issued := all.Finalized(inv.ID)
		inv.Number, inv.NumberText, inv.Seller, inv.Buyer = issued.Number, issued.NumberText, issued.Seller, issued.Buyer
	case lifecycle.InvoiceChanged:
	}
	return tx.invoices.Save(ctx, environmentID, *inv)
}
