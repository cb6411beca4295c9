package service

import (
	"context"

	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/db"
)

// Outlook is what a subscription waits for, and what follows.
type Outlook struct {
	Expected []lifecycle.Expected
	Live     *payment.Transaction // the attempt under way; nil: none
	InReview *payment.Transaction // the payment that waits for a person; nil: none does
}

// Outlook returns the next n things that happen to a subscription by themselves. It reads under the locks of a command,
// for one round trip, so that what it tells is of one moment. Faults: subscription_not_found, those of
// lifecycle.Outlook.
func (s *Service) Outlook(ctx context.Context, by Caller, subscriptionID string, n int) (Outlook, error) {
	return transact(ctx, s, by, nil, func(tx *db.Tx) (out Outlook, err error) {
		found, err := tx.LockSubscription(ctx, by.EnvironmentID, subscriptionID)
		if err != nil {
			return out, err
		}
		out.Live, out.InReview = found.Attempt(), found.InReview()
		out.Expected, err = lifecycle.Outlook(found, n, db.Moment(tx.Now, tx.Real))
		return out, err
	})
}
