package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCharging_PausedAndResumed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const path = "/api/environment"
	read := func() Environment { return as[Environment](t, 200, b.ask(t, b.test, "GET", path, nil)) }
	require.Equal(t, Environment{ID: b.test.environmentID, Mode: "test", TimeZone: "UTC"}, read())

	answer := b.ask(t, b.test, "POST", path+"/pause-charging", nil, "Idempotency-Key", "k")
	paused := as[Environment](t, 200, answer)
	require.Equal(t, b.clock().Unix(), paused.ChargingPausedAt)
	require.Equal(t, paused, read())
	again := b.ask(t, b.test, "POST", "/v1/environment/pause-charging", nil, "Idempotency-Key", "k")
	require.Equal(t, string(answer.Body), string(again.Body))
	require.Equal(t, paused, as[Environment](t, 200, b.ask(t, b.test, "POST", path+"/pause-charging", map[string]any{})))
	require.Zero(t, as[Environment](t, 200, b.ask(t, b.live, "GET", path, nil)).ChargingPausedAt, "the other half goes on")

	txn := as[Payment](t, 201, b.charge(t, b.newCustomer(t, b.test).ID))
	require.Equal(t, "pending", txn.Status)
	require.Empty(t, txn.Hold)
	_, err := b.pool.Exec(t.Context(), `update transactions set held_at = now(), held_revision = 1, held_by_stop = true,
		failure_reason = 'Charging is paused.' where id = $1`, txn.ID) // a worker does that
	require.NoError(t, err)
	held := as[Payment](t, 200, b.ask(t, b.test, "GET", "/api/payments/"+txn.ID, nil))
	require.Equal(t, "charging_paused", held.Hold)
	require.Equal(t, "Charging is paused.", held.FailureReason)
	require.Equal(t, 1, read().PaymentsHeld)

	resumed := as[Environment](t, 200, b.ask(t, b.test, "POST", path+"/resume-charging", nil))
	require.Zero(t, resumed.ChargingPausedAt)
	require.Equal(t, 200, b.ask(t, b.test, "POST", path+"/resume-charging", nil).Status, "no effect")
	changes, err := b.store.Payments.EnvironmentChanges(t.Context(), b.test.environmentID)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.Equal(t, []string{"chargingPaused"}, changes[0].Fields)
	require.Equal(t, []string{"chargingResumed"}, changes[1].Fields)
	require.Equal(t, "key", string(changes[0].ActorKind))
	require.Equal(t, 1, b.count(t, `select count(*) from events where type = 'environment.charging_paused'
		and data->'by'->>'id' = $1 and data->'by'->>'kind' = 'key'`, changes[0].ActorID))
	require.Equal(t, 1, b.count(t, "select count(*) from events where type = 'environment.charging_resumed'"))
}

func TestProvider_ChargingPausedAndResumed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := "/api/payment-providers/" + b.test.providerID
	paused := as[PaymentProvider](t, 200, b.ask(t, b.test, "POST", path+"/pause-charging", nil))
	require.Equal(t, b.clock().Unix(), paused.ChargingPausedAt)
	require.True(t, paused.IsPrimary, "it stays what it is")
	require.Equal(t, paused, as[PaymentProvider](t, 200, b.ask(t, b.test, "GET", path, nil)))
	require.Equal(t, paused, as[PaymentProvider](t, 200, b.ask(t, b.test, "POST", path+"/pause-charging", nil)))
	resumed := as[PaymentProvider](t, 200, b.ask(t, b.test, "POST", path+"/resume-charging", nil))
	require.Zero(t, resumed.ChargingPausedAt)
	require.Equal(
		t, 2, b.count(t, "select count(*) from credential_changes where provider_config_id = $1", b.test.providerID),
	)
}
