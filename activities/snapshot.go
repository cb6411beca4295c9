package activities

import (
	"time"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
)

// snapshot is what a workflow may know of a subscription: ids, codes and times.
func snapshot(b db.Bundle) contract.Snapshot {
	out := contract.SnapshotOf(b.Subscription)
	if b.TestClock != nil {
		out.ClockNow = b.TestClock.NowAt
	}
	out.Live = undecided(b.Pending)
	return out
}

// undecided is the pending charge to look at first. That may be another than the attempt of the invoice in collection:
// one that is called off is superfluous, but not over.
func undecided(pending []payment.Transaction) *contract.Attempt {
	var first *payment.Transaction
	for i := range pending {
		if t := &pending[i]; t.ParkedAt.IsZero() && (first == nil || t.NextCheckAt.Before(first.NextCheckAt)) {
			first = t
		}
	}
	if first == nil {
		return nil
	}
	attempt := &contract.Attempt{TransactionID: first.ID, CheckAt: first.NextCheckAt, Sent: !first.FirstSentAt.IsZero()}
	if first.Checks == 0 && !attempt.Sent {
		attempt.CheckAt = time.Time{} // nobody tried yet: now; its check is the safety net's
	}
	return attempt
}
