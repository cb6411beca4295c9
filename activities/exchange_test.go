package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/scene"
)

// hanging is a provider that answers only when it is not waited for any more.
type hanging struct{ *scene.Provider }

func (hanging) Charge(ctx context.Context, _ providers.ChargeRequest) (providers.Result, error) {
	<-ctx.Done()
	return providers.Result{Outcome: providers.Unknown}, nil
}

func TestCharge_RecordsSilenceBeforeTimeout(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.due()
	l.Payments.Gateway = scene.Gateway{Only: hanging{l.Provider}}
	ctx, cancel := context.WithTimeout(t.Context(), activities.RecordingTime) // which is all for the recording
	defer cancel()

	out, err := l.Payments.Charge(ctx, contract.ResolveInput{
		EnvironmentID: l.Env, TransactionID: l.last().ID, Now: l.Clock.Now(),
	})

	require.NoError(t, err, "the provider had all the time, and nothing was recorded")
	require.Equal(t, payment.Pending, out.Status)
	require.Equal(t, 1, l.last().Checks)
	require.Equal(t, l.Clock.Now().Add(10*time.Second), l.last().NextCheckAt)
	calls, err := l.Store.ProviderCalls(t.Context(), l.Env, l.last().ID)
	require.NoError(t, err)
	require.Len(t, calls, 1)
	require.Equal(t, "unknown", calls[0].Outcome)
}
