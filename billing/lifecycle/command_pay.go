package lifecycle

import (
	"perennial/billing/collection"
	"perennial/billing/money"
)

// Pay starts an attempt on the oldest open invoice. Amount, if given, must equal the amount due, in minor units;
// InvoiceID, if given, must name that invoice. Changes.Attempt names the attempt. Faults: invoice_not_open,
// invoice_is_draft, older_invoice_open, those of subscribing.Payable and collection.Next.
type Pay struct {
	Amount    *money.Minor
	InvoiceID string
}

// Name returns pay.
func (Pay) Name() string { return "pay" }

func (p Pay) judge(d *Decision) (func() error, error) {
	if err := d.notDraft(p.InvoiceID); err != nil {
		return nil, err
	}
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
		return d.enter(i, state, effect)
	}, err
}
