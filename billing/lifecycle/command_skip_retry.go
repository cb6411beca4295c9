package lifecycle

import (
	"perennial/billing/collection"
	"perennial/billing/event"
)

// SkipRetry skips the next automatic retry of an open invoice. Later retries keep their intervals; after the last one
// the final action of the dunning policy follows at once. Faults: invoice_not_open, invoice_is_draft, those of
// collection.Next.
type SkipRetry struct {
	InvoiceID string
}

// Name returns skip_retry.
func (SkipRetry) Name() string { return "skip_retry" }

func (c SkipRetry) judge(d *Decision) (func() error, error) {
	if err := d.notDraft(c.InvoiceID); err != nil {
		return nil, err
	}
	i := d.IndexOpen(c.InvoiceID)
	if i < 0 {
		return nil, ErrNotOpen
	}
	state, effect, err := d.after(i, d.input(collection.SkipRetry))
	return func() error {
		skipped := event.InvoiceRetrySkipped{Invoice: d.Open[i].Announced()}
		if state.Phase == collection.Scheduled {
			skipped.NextPaymentAttemptAt = state.RetryAt.Unix()
		}
		d.Announce(skipped)
		return d.enter(i, state, effect)
	}, err
}
