package monthly

import (
	"maps"
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Receivables shows how the amounts due of open invoices came from the month's start to its end, in minor units:
// Opening + Invoiced - CreditUsed - Carried - Credited - Voided - Uncollectible + Recovered - Paid = Closing. Opening
// and Closing are read from the invoices that were open then, the rest from the month's documents, so that a difference
// shows a fault.
type Receivables struct {
	Opening       money.Minor
	Invoiced      money.Minor // the totals of invoices, without negative ones, which become credit
	CreditUsed    money.Minor // credit of customers that paid for invoices, less what voids gave back
	Carried       money.Minor // carried to later invoices because it is too little, less what was carried to these
	Credited      money.Minor // credit notes that took it off the amount due
	Voided        money.Minor
	Uncollectible money.Minor
	Recovered     money.Minor // paid though it was given up before
	Paid          money.Minor // by payments that settled invoices
	Closing       money.Minor
}

// Expected returns the closing amount that follows from the opening and the movements.
func (r Receivables) Expected() money.Minor {
	more, less := r.Invoiced+r.Recovered, r.CreditUsed+r.Carried+r.Credited+r.Voided+r.Uncollectible+r.Paid
	return r.Opening + more - less
}

// Difference returns what the closing amount is off by; zero unless there is a fault.
func (r Receivables) Difference() money.Minor { return r.Closing - r.Expected() }

// Credit shows how the credit of customers, credit grants included, came from the month's start to its end. A customer
// who owes a carried amount has credit below zero.
type Credit struct {
	Opening  money.Minor
	ByReason map[invoice.CreditReason]money.Minor
	Closing  money.Minor
}

// Reasons returns the reasons of the month's entries, sorted.
func (c Credit) Reasons() []invoice.CreditReason { return slices.Sorted(maps.Keys(c.ByReason)) }

// Difference returns what the closing credit is off by; zero unless there is a fault.
func (c Credit) Difference() money.Minor {
	expected := c.Opening
	for _, amount := range c.ByReason {
		expected += amount
	}
	return c.Closing - expected
}

// Balance is an amount at the start and the end of the month.
type Balance struct {
	Currency         money.Currency
	Opening, Closing money.Minor
}

// OpenInvoices sets what open invoices asked for at the start and the end.
func (r *Report) OpenInvoices(all []Balance) {
	for _, b := range all {
		if b.Opening != 0 || b.Closing != 0 {
			s := r.of(b.Currency)
			s.Receivables.Opening, s.Receivables.Closing = b.Opening, b.Closing
		}
	}
}

// Balances sets the credit of customers at the start and the end.
func (r *Report) Balances(all []Balance) {
	for _, b := range all {
		if b.Opening != 0 || b.Closing != 0 {
			s := r.of(b.Currency)
			s.Credit.Opening, s.Credit.Closing = b.Opening, b.Closing
		}
	}
}
