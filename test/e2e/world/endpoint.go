package world

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/vault"
)

// AllowLocalReceivers lets endpoints be on this machine; retries come within seconds.
var AllowLocalReceivers = []string{"WEBHOOK_LOCAL_RECEIVERS=127.0.0.0/8", "WEBHOOK_RETRIES_TEST=1s,2s,3s"}

// EndpointSecret signs the deliveries of every endpoint of a world.
const EndpointSecret = "whsec_canaryendpointsecret0000000000"

// Endpoint registers a receiver of all events of an environment.
func (w *World) Endpoint(t testing.TB, env *Environment, url string) string {
	t.Helper()
	store, err := db.Open(t.Context(), db.Config{URL: w.Pool.Config().ConnString(), MaxConns: 1, Clock: time.Now})
	require.NoError(t, err)
	defer store.Close()
	keys, err := vault.New(w.Secrets["key-encryption key"])
	require.NoError(t, err)
	config, err := store.Payments.ProviderConfig(t.Context(), env.ID)
	require.NoError(t, err)
	e := db.WebhookEndpoint{
		ID: id.New(id.Endpoint, time.Now()), URL: url, Events: []string{string(event.Every)}, PayloadShape: event.ShapeA,
	}
	e.SecretSealed, err = keys.Seal(config.Keyset, vault.EndpointSecret(config.AppID, e.ID), []byte(EndpointSecret))
	require.NoError(t, err)
	require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
		return tx.Webhooks.InsertEndpoint(t.Context(), env.ID, e)
	}))
	w.Secrets["endpoint secret"] = EndpointSecret
	return e.ID
}
