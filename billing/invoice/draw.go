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
	inv := d.invoice(in, sums)
	inv.Status, inv.AmountDue, inv.Terms = InDraft, max(sums.Total, 0), in.Terms
	inv.FinalizesAt, inv.UsageUntil = until, d.UsageUntil
	inv.Collection.Phase = collection.Waiting
	return inv, nil
}

// Redraw is the draft that an invoice in draft is, less what only its rules know: see Draft.Back.
func (i Invoice) Redraw() Draft {
	return Draft{Reason: i.Reason, Period: i.Period, PeriodIndex: i.PeriodIndex, Lines: i.Lines, UsageUntil: i.UsageUntil}
}
