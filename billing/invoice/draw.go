package invoice

import (
	"time"

	"perennial/billing/collection"
)

// Draw turns a draft into an invoice that is not issued before a given time: nothing is due yet, and no credit is used.
// Its sums are those that it would have now. Fault: amount_too_large.
func (d Draft) Draw(in Issuing, until time.Time) (Invoice, error) {
	sums, err := d.Sums()
	if err != nil {
		return Invoice{}, err
	}
	return Invoice{
		ID: in.ID, CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID,
		Status: InDraft, Reason: d.Reason, Currency: in.Currency, Lines: d.Lines,
		Discount: sums.Discount, Tax: sums.Tax, Taxes: sums.Taxes, TaxExempt: in.TaxExempt, Total: sums.Total,
		AmountDue: max(sums.Total, 0), Period: d.Period, PeriodIndex: d.PeriodIndex, Terms: in.Terms,
		Collection: collection.State{Phase: collection.Waiting}, FinalizesAt: until, UsageUntil: d.UsageUntil,
		CreatedAt: in.Now,
	}, nil
}

// Redraw is the draft that an invoice in draft is, less what only its rules know: see Draft.Back.
func (i Invoice) Redraw() Draft {
	return Draft{Reason: i.Reason, Period: i.Period, PeriodIndex: i.PeriodIndex, Lines: i.Lines, UsageUntil: i.UsageUntil}
}
