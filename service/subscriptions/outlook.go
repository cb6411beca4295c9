package subscriptions

import (
	"context"

	"perennial/billing/foresight"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/service/usecase"
)

// Outlook is what a subscription waits for, and what follows.
type Outlook struct {
	Expected []foresight.Expected
	Live     *payment.Transaction // the attempt under way; nil: none
	InReview *payment.Transaction // the payment that waits for a person; nil: none does
}

// Outlook returns the next n things that happen to a subscription automatically. Faults: subscription_not_found, those
// of foresight.Outlook.
func (s *Service) Outlook(
	ctx context.Context, by usecase.Caller, subscriptionID string, n int,
) (out Outlook, err error) {
	found, err := s.Store.SubscriptionState(ctx, by.EnvironmentID, subscriptionID)
	if err != nil {
		return out, err
	}
	out.Live, out.InReview = found.Attempt(), found.InReview()
	now := s.Now()
	err = s.foresee(ctx, by.EnvironmentID, s.Store.Reader, found.Subscription, func(known *foresight.Usage) (err error) {
		out.Expected, err = foresight.Outlook(found, n, known, db.Moment(now, now))
		return err
	})
	return out, err
}
