package main

import (
	"context"
	"encoding/json"
	"net/http"

	"perennial/internal/vault"
)

// callbackSecret signs the simulator's callbacks. It is no secret: both ends of it live in one run of a benchmark.
const callbackSecret = "whsec_bench"

// webhookSecretField is gateway.FieldWebhookSecret, which has moved between packages since the commits that are compared.
const webhookSecretField = "webhookSecret"

// callbacks has the simulator tell our API of every payment, also of what the worker has learned from the response to
// its request, as Stripe does; or of nothing.
func (r *rig) callbacks(ctx context.Context, on bool) error {
	settings := map[string]any{}
	if on {
		if err := r.acceptCallbacks(ctx); err != nil {
			return err
		}
		settings = map[string]any{
			"url": r.ours.url + "/callbacks/" + r.stage.ConfigID, "secret": callbackSecret, "synchronous": true,
		}
	}
	body, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	_, err = r.ask(ctx, http.MethodPut, r.simulator+"/_simulator/callbacks", string(body), http.StatusOK)
	return err
}

// acceptCallbacks gives our side the secret that it checks signatures with.
func (r *rig) acceptCallbacks(ctx context.Context) error {
	keys, err := vault.New(r.stage.KEK)
	if err != nil {
		return err
	}
	field := vault.Field{AppID: r.stage.AppID, ConfigID: r.stage.ConfigID, Name: webhookSecretField}
	sealed, err := keys.Seal(r.stage.Keyset, field, []byte(callbackSecret))
	if err != nil {
		return err
	}
	_, err = r.ours.pool.Exec(ctx, "update provider_configs set webhook_secret_sealed = $1 where id = $2", sealed,
		r.stage.ConfigID)
	return err
}

// callbacksStored counts what the API has taken in.
func (r *rig) callbacksStored(ctx context.Context) (n int, err error) {
	err = r.ours.pool.QueryRow(ctx, "select count(*) from provider_callbacks").Scan(&n)
	return n, err
}
