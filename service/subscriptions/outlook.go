package subscriptions

import (
	"context"

	"perennial/billing/foresight"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/service/usecase"
)

// Outlook has the pending payments and the next actions of a subscription.
type Outlook struct {
	Expected []foresight.Expected
	Live     *payment.Transaction // the attempt in progress; nil: none
	InReview *payment.Transaction // the payment that needs review; nil: none
}

// Outlook returns the next n automatic actions of a subscription. Faults: subscription_not_found, those of
// foresight.Outlook.
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
