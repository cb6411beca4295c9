package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/internal/testkit/receiver"
)

func (r *liveScene) disable(t *testing.T, ref contract.Ref) {
	t.Helper()
	r.InTx(t, func(tx *db.Tx) error {
		e, err := tx.Webhooks.LockEndpoint(t.Context(), ref.EnvironmentID, ref.ID)
		require.NoError(t, err)
		e.Disable(delivery.DisabledByRequest, time.Now())
		return tx.Webhooks.SaveEndpoint(t.Context(), ref.EnvironmentID, e, db.EndpointChange{Action: db.EndpointDisabled})
	})
}

func TestWebhooks_UnderLoadARunDeliversMany(t *testing.T) {
	t.Parallel()
	r, inbox := onRealServer(t), receiver.New(t)
	ref := r.Endpoint(t, inbox.Endpoint("/"), "*")
	deliveries := testkit.Scale(300, 5_000)
	for range deliveries {
		r.Announce(t, 1)
	}
	r.AllDelivered(t, time.Minute)
	require.Len(t, inbox.Requests("/"), deliveries, "each once")
	history := len(r.history(t, ref.ID, ""))
	t.Logf("%d history events for %d deliveries", history, deliveries)
	require.LessOrEqual(t, history, deliveries)
}
