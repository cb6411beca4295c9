package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"perennial/billing/subscription"
	"perennial/contract"
)

// rating is a subscription whose invoice waits for its usage since noon.
func rating(revision int64) contract.Snapshot {
	s := sleeping(revision)
	s.NextAction, s.NextAt = subscription.ActionBillUsage, noon
	return s
}

func TestSubscription_BillsUsageWhenItIsDue(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) { return rating(1), nil }
	f.bill = func(contract.AdvanceInput) (contract.Snapshot, error) { return finished(2), nil }
	env := wired(t, f)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, contract.SubscriptionInput{Ref: contract.Ref{ID: "sub_1"}})
	requireCompleted(t, env)
	require.Equal(t, []string{"advance", "bill usage"}, f.called())
}

// A rating that fails rests, longer each time. Other due work is performed meanwhile, and signals are received.
func TestSubscription_RatingThatFailsRestsAndHoldsNothingUp(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	advanced := 0
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		advanced++
		return rating(1), nil
	}
	failures := 0
	var last time.Time
	env := wired(t, f)
	f.bill = func(contract.AdvanceInput) (contract.Snapshot, error) {
		if failures == 9 { // three attempts, three times
			last = env.Now()
			return finished(2), nil
		}
		failures++
		return contract.Snapshot{}, errors.New("the price is too large")
	}
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(contract.SignalWake, contract.Wake{})
	}, 30*time.Second)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, contract.SubscriptionInput{Ref: contract.Ref{ID: "sub_1"}})
	requireCompleted(t, env)
	require.Equal(t, 9, failures)
	require.Equal(t, 5, advanced, "once to load, after each failure, and by the signal")
	require.Greater(t, last.Sub(noon), 6*time.Minute)
	require.Less(t, last.Sub(noon), 8*time.Minute)
}

// While usage is rated, signals are received and payments continue.
func TestSubscription_PaysWhileItsUsageIsRated(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	snap := rating(1)
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) { return snap, nil }
	f.charge = func(contract.ResolveInput) (contract.ResolveOutput, error) {
		snap = rating(3)
		paid := snap
		return contract.ResolveOutput{Status: "success", Snapshot: &paid}, nil
	}
	f.bill = func(contract.AdvanceInput) (contract.Snapshot, error) {
		snap = finished(4)
		return snap, nil
	}
	env := wired(t, f)
	env.OnActivity(contract.ActivityBillUsage, mock.Anything, mock.Anything).After(5 * time.Minute).Return(f.BillUsage)
	env.RegisterDelayedCallback(func() {
		snap = rating(2)
		snap.Live = &contract.Attempt{TransactionID: "txn_1"}
		env.SignalWorkflow(contract.SignalWake, contract.Wake{})
	}, time.Minute)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, contract.SubscriptionInput{Ref: contract.Ref{ID: "sub_1"}})
	requireCompleted(t, env)
	require.Equal(t, []string{"advance", "advance", "charge txn_1", "bill usage", "advance"}, f.called(),
		"the row may have changed beside the rating: it is read again")
}

// Work that falls due while usage is rated is performed then, not when the rating ends.
func TestSubscription_RenewsWhileItsUsageIsRated(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	snap := rating(1)
	snap.BesideAction, snap.BesideAt = subscription.ActionRenewal, noon.Add(2*time.Minute)
	var renewed []time.Duration
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		if since := env.Now().Sub(noon); since > 0 && snap.Revision == 1 {
			renewed = append(renewed, since)
			snap = rating(2)
			snap.BesideAction, snap.BesideAt = subscription.ActionRenewal, noon.AddDate(0, 1, 0)
		}
		return snap, nil
	}
	f.bill = func(contract.AdvanceInput) (contract.Snapshot, error) {
		snap = finished(3)
		return snap, nil
	}
	env.OnActivity(contract.ActivityBillUsage, mock.Anything, mock.Anything).After(8 * time.Minute).Return(f.BillUsage)
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, contract.SubscriptionInput{Ref: contract.Ref{ID: "sub_1"}})
	requireCompleted(t, env)
	require.Equal(t, 2*time.Minute, renewed[0])
	require.Equal(t, []string{"advance", "advance", "bill usage", "advance"}, f.called(), "read again behind the rating")
}

// While a rating that ended without a result rests, what falls due is done in time.
func TestSubscription_RenewsWhileItsRatingRests(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	env := wired(t, f)
	snap := rating(1)
	snap.BesideAction, snap.BesideAt = subscription.ActionPaymentRetry, noon.Add(30*time.Second)
	var retried time.Duration
	f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
		if now := env.Now(); !now.Before(snap.BesideAt) {
			retried = now.Sub(noon)
			snap = rating(2)
		}
		return snap, nil
	}
	f.bill = func(contract.AdvanceInput) (contract.Snapshot, error) {
		if snap.Revision == 1 {
			return contract.Snapshot{}, errors.New("the database is away")
		}
		return finished(3), nil
	}
	env.ExecuteWorkflow(contract.SubscriptionWorkflow, contract.SubscriptionInput{Ref: contract.Ref{ID: "sub_1"}})
	requireCompleted(t, env)
	require.Equal(t, 30*time.Second, retried)
}
