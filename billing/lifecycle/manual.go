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

// A manual invoice belongs to a customer without a subscription (ADR 47). A State without a Subscription has it as
// Draft or as the only Open one. Commands about invoices and answers of providers change it as they change a
// subscription's, but nothing follows for a subscription, there are no retries, and each attempt has a workflow of its
// own.

// manual reports whether the State has no subscription.
func (s State) manual() bool { return s.Subscription.ID == "" }

// Finalize issues the Draft of the State. One that is charged automatically gets one attempt; of another the customer
// is told, and pays it or has it paid. Nothing is charged where nothing is due. Changes.Invoices has the invoice,
// which gets its number when it is written. Faults: invoice_not_draft, invoice_customer_deleted, amount_too_large.
func Finalize(s State, at Moment) (State, Changes, error) {
	if s.Draft == nil {
		return State{}, Changes{}, invoicing.ErrNotDraft
	}
	if !s.Customer.ErasedAt.IsZero() {
		return State{}, Changes{}, invoicing.ErrCustomerDeleted
	}
	d := begin(s, at)
	in := invoice.Issuing{
		TaxExempt: d.Customer.TaxExempt, Balance: d.Balance, Grants: balance.For(d.Grants, ""),
		Limits: d.limits(), Now: d.Now,
	}
	if location, err := period.LoadLocation(d.Settings.TimeZone); err == nil {
		in.Location = location
	}
	out, err := invoicing.Finalize(*d.Draft, tax.Holding(d.TaxRates, d.Customer.TaxPayer(), d.Now), in)
	if err != nil {
		return State{}, Changes{}, err
	}
	inv := out.Invoice
	d.Draft = nil
	d.Changes.Invoices.finalize(inv)
	d.credit(out.Credit, inv.ID)
	d.announce(event.InvoiceFinalized{Invoice: inv.Announced()})
	d.announceDepleted(inv)
	if inv.Status == invoice.Paid {
		d.Changes.Settlements = append(d.Changes.Settlements, Settlement{InvoiceID: inv.ID})
		if err := d.paid(inv); err != nil {
			return State{}, Changes{}, err
		}
		return d.finish()
	}
	d.Open = append(d.Open, inv)
	if err := d.step(len(d.Open)-1, collection.Begin); err != nil {
		return State{}, Changes{}, err
	}
	return d.finish()
}
