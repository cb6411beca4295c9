package lifecycle

import (
	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/period"
	"perennial/billing/tax"
)

// CreateDraft creates the draft of a manual invoice as Draft of the State. Faults: those of invoicing.New.
func CreateDraft(s State, c invoicing.Content, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	draft, err := invoicing.New(invoicing.Identity{
		ID: d.IDs.Invoice(d.Real), CustomerID: d.Customer.ID, TestClockID: d.Customer.TestClockID, Currency: d.Currency,
	}, c, ofCustomer{}.aroundDraft(d))
	if err != nil {
		return State{}, Changes{}, err
	}
	d.Draft = &draft
	d.Changes.Invoices.add(DraftCreated, draft)
	d.Announce(event.InvoiceCreated{Invoice: draft.Announced()})
	return d.Finish()
}

// ReviseDraft changes the Draft of the State. Faults: those of invoicing.Revise.
func ReviseDraft(s State, c invoicing.Change, at Moment) (State, Changes, error) {
	if s.Draft == nil {
		return State{}, Changes{}, invoicing.ErrNotDraft
	}
	d := Begin(s, at)
	draft, err := invoicing.Revise(*d.Draft, c, ofCustomer{}.aroundDraft(d))
	if err != nil {
		return State{}, Changes{}, err
	}
	*d.Draft = draft
	d.Changes.Invoices.redraw(draft)
	d.Announce(event.InvoiceUpdated{Invoice: draft.Announced()})
	return d.Finish()
}

// DeleteDraft removes the Draft of the State, which never had a number. Fault: invoice_not_draft.
func DeleteDraft(s State, at Moment) (State, Changes, error) {
	if s.Draft == nil {
		return State{}, Changes{}, invoicing.ErrNotDraft
	}
	d := Begin(s, at)
	gone := *d.Draft
	d.Draft = nil
	d.Changes.Invoices.discard(gone)
	d.Announce(event.InvoiceDeleted{Invoice: gone.Announced()})
	return d.Finish()
}

// aroundDraft returns the tax rates and the time for writing a draft.
func (ofCustomer) aroundDraft(d *Decision) invoicing.Around {
	return invoicing.Around{
		Rates: tax.Holding(d.TaxRates, d.payer(), d.Now), Exempt: d.payer().Exemption.OfInvoice(), Now: d.Now,
		LineID: func(int) string { return d.IDs.Line(d.Real) },
	}
}

// Finalize issues the Draft of the State. An automatically charged one gets one attempt; another is sent to the
// customer, who pays it. Nothing is charged where nothing is due. Changes.Invoices has the invoice, which gets its
// number when it is written. Faults: invoice_not_draft, invoice_customer_deleted, amount_too_large.
func Finalize(s State, at Moment) (State, Changes, error) {
	if s.Draft == nil {
		return State{}, Changes{}, invoicing.ErrNotDraft
	}
	if !s.Customer.ErasedAt.IsZero() {
		return State{}, Changes{}, invoicing.ErrCustomerDeleted
	}
	d := Begin(s, at)
	in := invoice.Issuing{
		TaxExempt: d.payer().Exemption.OfInvoice(), Balance: d.Balance, Grants: balance.For(d.Grants, ""),
		Limits: d.limits(), Now: d.Now,
	}
	if location, err := period.LoadLocation(d.Settings.TimeZone); err == nil {
		in.Location = location
	}
	out, err := invoicing.Finalize(*d.Draft, tax.Holding(d.TaxRates, d.payer(), d.Now), in)
	if err != nil {
		return State{}, Changes{}, err
	}
	inv := out.Invoice
	d.Draft = nil
	d.Changes.Invoices.finalize(inv)
	d.Credit(out.Credit, inv.ID)
	d.Announce(event.InvoiceFinalized{Invoice: inv.Announced()})
	d.announceDepleted(inv)
	if inv.Status == invoice.Paid {
		d.Changes.Settlements = append(d.Changes.Settlements, Settlement{InvoiceID: inv.ID})
		if err := d.paid(inv); err != nil {
			return State{}, Changes{}, err
		}
		return d.Finish()
	}
	d.Open = append(d.Open, inv)
	if err := d.Step(len(d.Open)-1, collection.Begin); err != nil {
		return State{}, Changes{}, err
	}
	return d.Finish()
}
