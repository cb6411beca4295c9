package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"perennial/activities/pacing"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/internal/testkit/wait"
	"perennial/test/life"
	"perennial/test/scene"
)

// An account that does not answer fills only its own slots. A charge that finds no slot is not sent, and waits.
func TestSlots_OneHangingAccountLeavesTheOthers(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	config, _ := withBackup(t, l.Scene)
	l.Payments.Slots = pacing.NewSlots(1, 10)
	l.Payments.Gateway.(accounts)[l.Config.ID] = hanging{l.Provider}
	l.Collecting()
	first := l.Snap.Live.TransactionID
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := l.Payments.Charge(
			ctx, contract.ResolveInput{EnvironmentID: l.Env, TransactionID: first, Now: l.Clock.Now()},
		)
		ended <- err
	}()
	require.Eventually(t, func() bool { return len(l.Sends(first)) == 1 }, wait.Patience, 5*time.Millisecond)

	second := l.OwnCharge(t).ID
	charge := func() (contract.ResolveOutput, error) {
		return l.Payments.Charge(
			t.Context(), contract.ResolveInput{EnvironmentID: l.Env, TransactionID: second, Now: l.Clock.Now()},
		)
	}
	_, err := charge()
	var busy *temporal.ApplicationError
	require.ErrorAs(t, err, &busy)
	require.Equal(t, "provider_busy", busy.Type())
	require.False(t, busy.NonRetryable())
	require.Empty(t, l.Sends(second), "nothing was sent, and nothing written")

	_, err = l.Pool.Exec(t.Context(), "update provider_configs set is_primary = false where id = $1", l.Config.ID)
	require.NoError(t, err)
	_, err = l.Pool.Exec(t.Context(), "update provider_configs set is_primary = true where id = $1", config.ID)
	require.NoError(t, err)
	out, err := charge()
	require.NoError(t, err)
	require.Equal(t, payment.Success, out.Status, "another account has slots of its own")

	stop()
	require.Error(t, <-ended, "its record needs the context too")
	third := l.OwnCharge(t).ID
	l.Payments.Gateway.(accounts)[l.Config.ID] = l.Provider
	_, err = l.Pool.Exec(
		t.Context(), "update provider_configs set disabled_at = now(), is_primary = false where id = $1", config.ID,
	)
	require.NoError(t, err)
	require.Equal(t, payment.Success, l.Check(third).Status, "its slot is free again")
}
