package overdue

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Debt is an open invoice. Since is the time from which on it counts as overdue, in the customer's time, also a future
// one.
type Debt struct {
	InvoiceID string
	Currency  money.Currency
	Amount    money.Minor // minor units
	Since     time.Time
}

// Debts are the debts of a customer. Their order does not matter.
type Debts []Debt

// Of returns the debts among invoices, which are in the order of their issue. An invoice that is sent counts from the
// end of its payment terms on; a payment that is under way then is waited for. One that is charged automatically counts
// from its issue on, once its first attempt has failed: a payment under way is no debt yet, and a retry under way does
// not end one. One that waits its turn counts if an older invoice of its subscription does. Invoices that are paid,
// void or uncollectible are no debts; neither is a paid one that its payer disputes. One that replaces a debt counts at
// once, from the time from which that one counted: a change is no payment.
func Of(invoices []invoice.Invoice) Debts {
	var all Debts
	behind := map[string]bool{} // subscriptions with a debt
	for _, inv := range invoices {
		if inv.Status != invoice.Open || inv.AmountDue <= 0 {
			continue
		}
		since, counts := inv.IssuedAt, true
		switch {
		case !inv.OwedSince.IsZero():
			since = inv.OwedSince
		case !inv.DueAt.IsZero():
			since, counts = inv.DueAt, inv.Collection.Phase != collection.Charging || !inv.OverdueAt.IsZero()
		case inv.Collection.Phase == collection.Waiting:
			counts = behind[inv.SubscriptionID]
		case inv.Collection.Phase == collection.Charging:
			counts = inv.Collection.Attempts > 1
		}
		if !counts {
			continue
		}
		behind[inv.SubscriptionID] = inv.SubscriptionID != ""
		all = append(all, Debt{InvoiceID: inv.ID, Currency: inv.Currency, Amount: inv.AmountDue, Since: since})
	}
	return all
}

// Since returns the time since when an invoice is overdue; zero: it is none of the debts, or not overdue by now.
func (d Debts) Since(invoiceID string, now time.Time) time.Time {
	for _, debt := range d {
		if debt.InvoiceID == invoiceID && !debt.Since.After(now) {
			return debt.Since
		}
	}
	return time.Time{}
}

// Sums are what is overdue at a time.
type Sums struct {
	Invoices int
	Oldest   time.Time // the earliest Debt.Since; zero: nothing is overdue
	Amounts  []Amount  // by currency, in the order of the alphabet
}

// At returns the sums of the debts that count at a time.
func (d Debts) At(now time.Time) (s Sums) {
	for _, debt := range d {
		if debt.Since.After(now) {
			continue
		}
		s.Invoices++
		if s.Oldest.IsZero() || debt.Since.Before(s.Oldest) {
			s.Oldest = debt.Since
		}
		i, found := slices.BinarySearchFunc(s.Amounts, debt.Currency, func(a Amount, c money.Currency) int {
			return cmp.Compare(a.Currency, c)
		})
		if !found {
			s.Amounts = slices.Insert(s.Amounts, i, Amount{Currency: debt.Currency})
		}
		s.Amounts[i].Amount += debt.Amount
	}
	return s
}

// In returns the sum in a currency.
func (s Sums) In(c money.Currency) money.Minor {
	for _, a := range s.Amounts {
		if a.Currency == c {
			return a.Amount
		}
	}
	return 0
}
