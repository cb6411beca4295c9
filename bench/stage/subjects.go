package stage

import (
	"context"
	"slices"
	"time"

	"perennial/billing/customer"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

// batch is the number of rows of one transaction of preparation.
const batch = 500

// Subject is one subscription with its payer.
type Subject struct {
	CustomerID     string
	SubscriptionID string

	row subscription.Subscription // as written; stays in this process
}

// Row returns the subscription as written.
func (s Subject) Row() subscription.Subscription { return s.row }

// Customers writes n customers with a good card.
func (s Stage) Customers(ctx context.Context, store *db.Store, n int, now time.Time) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = id.New(id.Customer, now)
	}
	for part := range slices.Chunk(ids, batch) {
		err := store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
			for _, cust := range part {
				err := tx.Customers.Insert(ctx, s.EnvironmentID, customer.Customer{
					ID: cust, Email: "bench@example.com", PaymentMethod: "card", CreatedAt: now,
					PaymentDetails: customer.PaymentDetails{CustomerToken: "cus_1", PaymentMethodToken: "pm_card_visa"},
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Trials writes n subscriptions to the basic plan in a trial of 14 days.
func (s Stage) Trials(ctx context.Context, store *db.Store, n int, now time.Time) ([]Subject, error) {
	days := 14
	return s.subscribe(ctx, store, n, now, func(sub, cust string) (subscription.Subscription, error) {
		out, _, err := subscribing.Create(s.Basic,
			subscribing.NewInput{ID: sub, CustomerID: cust, TrialDays: &days, TimeZone: "UTC", Now: now})
		return out, err
	})
}

// Due writes n active subscriptions whose next renewal is due at that instant, a whole second: they are in their first
// period, which was paid elsewhere.
func (s Stage) Due(ctx context.Context, store *db.Store, n int, at, now time.Time) ([]Subject, error) {
	none := 0
	began := at.AddDate(0, 0, -1)
	return s.subscribe(ctx, store, n, now, func(sub, cust string) (subscription.Subscription, error) {
		out, _, err := subscribing.Create(s.Daily,
			subscribing.NewInput{ID: sub, CustomerID: cust, TrialDays: &none, TimeZone: "UTC", Now: began})
		out.PeriodIndex, out.RenewedIndex = 1, 1
		out.NextPeriod, out.NextAction, out.NextActionAt = 1, subscription.ActionRenewal, out.CurrentPeriod.End
		out.PaidThrough, out.ActivatedAt = out.CurrentPeriod.End, began
		return out, err
	})
}

func (s Stage) subscribe(
	ctx context.Context, store *db.Store, n int, now time.Time,
	create func(sub, cust string) (subscription.Subscription, error),
) ([]Subject, error) {
	customers, err := s.Customers(ctx, store, n, now)
	if err != nil {
		return nil, err
	}
	subjects := make([]Subject, n)
	for i, cust := range customers {
		subjects[i] = Subject{CustomerID: cust, SubscriptionID: id.New(id.Subscription, now)}
	}
	for part := range slices.Chunk(subjects, batch) {
		err := store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
			for i := range part {
				subject := &part[i]
				sub, err := create(subject.SubscriptionID, subject.CustomerID)
				if err != nil {
					return err
				}
				subject.row = sub
				if err := tx.Subscriptions.Insert(ctx, s.EnvironmentID, sub); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return subjects, nil
}
