package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/charging"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/life"
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
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.Due()
	l.Payments.Gateway = scene.Gateway{Only: hanging{l.Provider}}
	ctx, cancel := context.WithTimeout(t.Context(), charging.RecordingTime) // which is all for the recording
	defer cancel()

	out, err := l.Payments.Charge(ctx, contract.ResolveInput{
		EnvironmentID: l.Env, TransactionID: l.Last().ID, Now: l.Clock.Now(),
	})

	require.NoError(t, err, "the provider had all the time, and nothing was recorded")
	require.Equal(t, payment.Pending, out.Status)
	require.Equal(t, 1, l.Last().Checks)
	require.Equal(t, l.Clock.Now().Add(10*time.Second), l.Last().NextCheckAt)
	calls, err := l.Store.Payments.ProviderCalls(t.Context(), l.Env, l.Last().ID)
	require.NoError(t, err)
	require.Len(t, calls, 1)
	require.Equal(t, "unknown", calls[0].Outcome)
}
