package invoice

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/money"
	"perennial/billing/period"
)

// Draft is an invoice that the rules want issued.
type Draft struct {
	Reason   Reason
	Period   period.Period // the time it pays for
	Lines    []Line
	Replaces string // the void invoice it stands in for; empty: none
	After    string // a Recovery: the paid invoice that recovered the subscription
	// Refund is what of a total below zero goes back in money; the rest becomes credit.
	Refund money.Minor
}

// Issuing is what a draft lacks: identity, parties, the customer's credit balance and the time.
type Issuing struct {
	ID             string
	CustomerID     string
	SubscriptionID string
	Currency       money.Currency
	Balance        money.Minor // credit the customer has in this currency, >= 0
	Now            time.Time
}

// Issue turns a draft into an invoice and says how the customer's credit changes: credit pays for it as far as there is
// any, and lines that sum to less than zero give some, but for what is refunded. An invoice with nothing left to pay is
// paid at once; every other one waits for its collection. Fault: amount_too_large.
func (d Draft) Issue(in Issuing) (Invoice, CreditEntry, error) {
	total, err := Sum(d.Lines)
	if err != nil {
		return Invoice{}, CreditEntry{}, err
	}
	inv := Invoice{
		ID: in.ID, CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID,
		Status: Open, Reason: d.Reason, Currency: in.Currency, Lines: d.Lines, Total: total,
		Period:     d.Period,
		Collection: collection.State{Phase: collection.Waiting},
		IssuedAt:   in.Now, CreatedAt: in.Now,
	}
	credit := CreditEntry{max(-total-d.Refund, 0), CreditProration}
	if total > 0 {
		inv.CreditApplied = min(in.Balance, total)
		inv.AmountDue = total - inv.CreditApplied
		credit = CreditEntry{-inv.CreditApplied, CreditApplied}
	}
	if inv.AmountDue == 0 {
		inv = inv.Settle(in.Now)
	}
	return inv, credit, nil
}

// Settle marks the invoice paid.
func (i Invoice) Settle(now time.Time) Invoice {
	i.Status, i.AmountPaid, i.PaidAt, i.Collection = Paid, i.AmountDue, now, i.Collection.Settled()
	return i
}

// Withdraw voids an open invoice in favour of another and returns the credit that goes back to the customer. A payment in
// progress refuses it, but where the subscription has ended nobody waits for one: then the effect asks for it to be
// canceled, and money that it still brings goes back, since the invoice is void. Faults: payment_in_progress,
// invoice_paid, invoice_void.
func (i Invoice) Withdraw(replacedBy string, ended bool, now time.Time) (Invoice, CreditEntry, collection.Effect, error) {
	terms := collection.Terms{Stopped: ended, Voided: i.Status == Void}
	state, effect, err := collection.Next(i.Collection, collection.Input{Kind: collection.Void, Now: now}, terms)
	if err != nil {
		return i, CreditEntry{}, effect, err
	}
	i.Status, i.VoidedAt, i.ReplacedBy, i.Collection = Void, now, replacedBy, state
	return i, CreditEntry{i.CreditApplied, CreditReturned}, effect, nil
}

// Sum is what lines come to. Fault: amount_too_large.
func Sum(lines []Line) (money.Minor, error) {
	amounts := make([]money.Minor, 0, len(lines))
	for _, l := range lines {
		amounts = append(amounts, l.Amount)
	}
	return money.Sum(amounts...)
}
