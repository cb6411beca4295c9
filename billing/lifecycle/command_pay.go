package lifecycle

import (
	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/money"
)

// Pay starts an attempt on the oldest open invoice. Amount, if given, must equal the amount due, in minor units;
// InvoiceID, if given, must name that invoice. Changes.Attempt names the attempt. Faults: invoice_not_open,
// invoice_is_draft, older_invoice_open, those of subscribing.Payable and collection.Next.
type Pay struct {
	Amount    *money.Minor
	InvoiceID string

	// MethodID names another of the customer's payment methods for this attempt alone; empty: none of them.
	MethodID string
	// Method is the one named, which its caller reads under lock, or one that the customer does not have, which this
	// attempt alone uses. The zero Method: the one that the next attempt would use.
	Method customer.Method
}

// Name returns pay.
func (Pay) Name() string { return "pay" }

func (p Pay) judge(d *Decision) (func() error, error) {
	if err := d.notDraft(p.InvoiceID); err != nil {
		return nil, err
	}
	defer p.chargedWith(d)()
	if p.InvoiceID != "" && !d.IsOpen(p.InvoiceID) {
		return nil, ErrNotOpen
	}
	inv, err := d.owner().payable(d, p.Amount)
	if err != nil {
		return nil, err
	}
	if p.InvoiceID != "" && p.InvoiceID != inv.ID {
		return nil, collection.ErrNotItsTurn
	}
	i := d.IndexOpen(inv.ID)
	state, effect, err := d.after(i, d.input(collection.Pay))
	return func() error {
		d.asked = true
		defer func() { d.asked = false }()
		defer p.chargedWith(d)()
		return d.enter(i, state, effect)
	}, err
}

// chargedWith lets attempts be made with the method that the command names until the returned function is called.
func (p Pay) chargedWith(d *Decision) (undo func()) {
	payer := d.Customer
	if p.Method.Type != "" {
		d.Customer = payer.WithMethod(p.Method)
	}
	return func() { d.Customer = payer }
}
