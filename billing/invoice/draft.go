package invoice

import (
	"cmp"
	"time"

	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/billing/terms"
)

// Draft is an invoice that the rules want issued.
type Draft struct {
	Reason Reason
	Period period.Period // the time it pays for
	// PeriodIndex is the period of the subscription in which it is issued.
	PeriodIndex int
	// Lines have the ids that they had on another invoice, or none: see Identify.
	Lines    []Line
	Replaces string // the void invoice that it replaces; empty: none
	Waits    bool   // of a renewal: it is a draft for the environment's grace
	// UsageUntil is up to when it bills usage of segments that had ended; zero: it bills none. Such a draft is issued once
	// that is rated.
	UsageUntil time.Time
	Last       bool   // of a subscription that ends: bills what waited for its next invoice
	Attempt    bool   // of a Last one: it gets one automatic attempt, and no retry
	Change     string // the scheduled change, or the migration with a date, that it bills; empty: none
	Awaited    bool   // it bills a change that waits for its payment
	// After tells drafts of one reason and start apart: of a Recovery, the paid invoice that recovered the subscription.
	After string
	// Refund is the amount to be paid back in money, as far as there is that much: out of a total below zero, whose
	// rest becomes credit, and beyond that out of the customer's credit.
	Refund money.Minor
	// Creditable bounds the taxes that the lines give back; the lines themselves give back no more than was billed.
	Creditable Creditable
}

// Creditable is the most that an invoice may give back: what earlier invoices billed and still keep.
type Creditable struct {
	Total money.Minor
	Tax   money.Minor // of Total
}

// Issuing has what a draft lacks: identity, parties, the customer's balance, what can be charged and the time.
type Issuing struct {
	ID             string
	CustomerID     string
	SubscriptionID string
	Currency       money.Currency
	TaxExempt      tax.Exemption // the customer's
	// the customer's plain balance in this currency: credit, or below zero an amount carried forward
	Balance money.Minor
	// Grants are the grants that may pay for it, used before Balance unless they have ended At.
	Grants []balance.Grant
	// At is the time at which it should have been issued, which counts for grants; zero: Now.
	At       time.Time
	Limits   money.Limits // of the provider that the invoice will be charged through
	Refunds  []Refundable // sources of a refund, in the order of use
	Terms    terms.Terms
	Location *time.Location // whose days NetDays are; nil: UTC
	Now      time.Time
	// OwedSince is since when the invoice that it replaces was overdue; zero: it replaces none that was.
	OwedSince time.Time
}

// Refundable is the amount of one charge that can be refunded, in multiples of Granularity; 0 counts as 1.
type Refundable struct{ Amount, Granularity money.Minor }

// expressible is the largest part of an amount that can go back in money.
func (in Issuing) expressible(amount money.Minor) (sum money.Minor) {
	for _, r := range in.Refunds {
		sum += money.Limits{Granularity: r.Granularity}.Floor(min(amount-sum, r.Amount))
	}
	return sum
}

// Issued is an invoice, its entries in the customer's balance, and the amount that goes back in money.
type Issued struct {
	Invoice Invoice
	Credit  []CreditEntry
	Refund  money.Minor
}

// Issue turns a draft into an invoice: its lines are summed less their discounts and taxed, and only then does credit
// count. Credit pays for it as far as there is any, and a total below zero gives credit, less refunds. A rest that the
// provider cannot take is carried to the balance, and collected with the next invoice that is large enough. An invoice
// with nothing left to pay is paid at once; every other one waits for its collection. Fault: amount_too_large.
func (d Draft) Issue(in Issuing) (Issued, error) {
	sums, err := d.Sums()
	if err != nil {
		return Issued{}, err
	}
	out := Issued{Invoice: d.open(in, sums)}
	ledger := ledger{balance: in.Balance}
	if sums.Total > 0 {
		out.Invoice.GrantsUsed = balance.Take(in.Grants, sums.Total, cmp.Or(in.At, in.Now))
		out.Invoice.ask(&ledger, in.Limits)
	}
	out.Refund = d.giveBack(max(-sums.Total, 0), &ledger, in)
	out.Credit = ledger.entries
	if out.Invoice.AmountDue == 0 {
		out.Invoice = out.Invoice.Settle(in.Now)
	}
	return out, nil
}

// open is the invoice of a draft that is issued now, before anything is paid.
func (d Draft) open(in Issuing, sums Sums) Invoice {
	inv := d.invoice(in, sums)
	inv.Status, inv.UsageUntil, inv.IssuedAt = Open, d.UsageUntil, in.Now
	inv.Terms, inv.DueAt = in.Terms, in.Terms.DueAt(in.Now, in.Location)
	inv.Collection.Phase = collection.Waiting
	return inv
}

// invoice has what a draft says, whatever becomes of it.
func (d Draft) invoice(in Issuing, sums Sums) Invoice {
	return Invoice{
		ID: in.ID, CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID,
		Reason: d.Reason, Currency: in.Currency, Lines: d.Lines,
		Discount: sums.Discount, Tax: sums.Tax, Taxes: sums.Taxes, TaxExempt: in.TaxExempt, Total: sums.Total,
		Period: d.Period, PeriodIndex: d.PeriodIndex, OwedSince: in.OwedSince, CreatedAt: in.Now,
	}
}

// ask decides the amount due of a total above zero, after the part that grants have paid.
func (i *Invoice) ask(l *ledger, limits money.Limits) {
	l.move(i.GrantsUsed, -1, CreditApplied)
	granted := i.GrantsUsed.Sum()
	plain := min(max(l.balance, 0), i.Total-granted)
	l.add(-plain, CreditApplied)
	i.CreditApplied = granted + plain
	owed := i.Total - i.CreditApplied
	debit := min(max(-l.balance, 0), max(money.MaxMinor-owed, 0)) // the rest waits for an invoice with room for it
	left := owed + debit - limits.Collectable(owed+debit)         // stays, or becomes, a debit
	if left > debit {
		i.CarriedForward = left - debit
	} else {
		i.BroughtForward = debit - left
	}
	l.add(-i.CarriedForward, CreditCarriedForward)
	l.add(i.BroughtForward, CreditBroughtForward)
	i.AmountDue = owed + i.BroughtForward - i.CarriedForward
}

// giveBack returns the refund of the amount that the lines give back, and books the rest as credit.
func (d Draft) giveBack(given money.Minor, l *ledger, in Issuing) money.Minor {
	refund := d.refundOf(given, l.balance, in)
	l.add(given-min(refund, given), CreditProration)
	l.add(-max(refund-given, 0), CreditRefunded)
	return refund
}

// refundOf returns the part of Refund that goes back in money, where the lines give back an amount. A part that no
// provider can express stays credit.
func (d Draft) refundOf(given, balance money.Minor, in Issuing) money.Minor {
	return in.expressible(min(d.Refund, max(balance+given, 0)))
}

// ledger is a plain balance with what moves it, and what moves grants.
type ledger struct {
	balance money.Minor
	entries []CreditEntry
}

func (l *ledger) add(amount money.Minor, reason CreditReason) {
	if amount != 0 {
		l.balance += amount
		l.entries = append(l.entries, CreditEntry{Amount: amount, Reason: reason})
	}
}

// move moves grants: sign is below zero where they are used.
func (l *ledger) move(uses balance.Uses, sign money.Minor, reason CreditReason) {
	for _, use := range uses {
		l.entries = append(l.entries, CreditEntry{Amount: sign * use.Amount, Reason: reason, GrantID: use.ID})
	}
}

// Settle marks the invoice paid.
func (i Invoice) Settle(now time.Time) Invoice {
	i.Status, i.AmountPaid, i.PaidAt, i.Collection = Paid, i.AmountDue, now, i.Collection.Settled()
	return i
}

// Withdraw voids an open invoice, which another one may replace, and returns the entries in the customer's balance. A
// payment in progress refuses it, unless the subscription has ended: then the effect asks for the payment to be
// canceled, and money that it still brings goes back, since the invoice is void. Faults: payment_in_progress,
// invoice_paid, invoice_void.
func (i Invoice) Withdraw(
	replacedBy string, ended bool, now time.Time,
) (Invoice, []CreditEntry, collection.Effect, error) {
	terms := collection.Terms{Stopped: ended, Voided: i.Status == Void}
	state, effect, err := collection.Next(i.Collection, collection.Input{Kind: collection.Void, Now: now}, terms)
	if err != nil {
		return i, nil, effect, err
	}
	i.Status, i.VoidedAt, i.ReplacedBy, i.Collection = Void, now, replacedBy, state
	return i, i.reversal(), effect, nil
}

// reversal returns the entries that undo those of the invoice. The part that a grant paid goes back to that grant, also
// where it has ended.
func (i Invoice) reversal() []CreditEntry {
	var l ledger
	l.move(i.GrantsUsed, 1, CreditReturned)
	l.add(i.CreditApplied-i.GrantsUsed.Sum(), CreditReturned)
	l.add(-i.BroughtForward, CreditBroughtForward)
	l.add(i.CarriedForward, CreditCarriedForward)
	return l.entries
}

// WriteOff gives an open invoice up: it is not collected any more but stays owed, so that money which arrives
// nevertheless pays it. Faults: those of Withdraw; a payment in progress refuses it, except where the subscription has
// ended.
func (i Invoice) WriteOff(ended bool, now time.Time) (Invoice, error) {
	terms := collection.Terms{Stopped: ended, Voided: i.Status == Void}
	state, _, err := collection.Next(i.Collection, collection.Input{Kind: collection.Void, Now: now}, terms)
	if err != nil {
		return i, err
	}
	i.Status, i.UncollectibleAt, i.Collection = Uncollectible, now, state
	return i, nil
}
