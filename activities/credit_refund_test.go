package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/service"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// A payment method that was changed meanwhile is tried in the same decision: the workflow must follow that attempt,
// although its last signal has been served.
func TestCreditRefund_WakesTheWorkflow(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Wake()
	_, err := l.Pool.Exec(t.Context(), "update transactions set refund_owed = 100 where id = $1", l.Last().ID)
	require.NoError(t, err)
	by := usecase.Caller{Actor: db.BySystem("test"), EnvironmentID: l.Env}

	err = service.New(l.Store, l.Clock.Now).Payments.CreditRefund(t.Context(), by, l.Last().ID,
		usecase.Around[payment.Transaction]{})

	require.NoError(t, err)
	var woken bool
	require.NoError(t, l.Pool.QueryRow(t.Context(),
		"select wake_pending_since is not null from subscriptions").Scan(&woken))
	require.True(t, woken)
}
