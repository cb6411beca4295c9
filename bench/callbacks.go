package main

import (
	"context"
	"encoding/json"
	"net/http"

	"perennial/internal/vault"
)

// callbackSecret signs the simulator's callbacks. It is no secret: both ends of it live in one run of a benchmark.
const callbackSecret = "whsec_bench"

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
	sealed, err := r.stage.SealWithSecret(keys, callbackSecret)
	if err != nil {
		return err
	}
	_, err = r.ours.pool.Exec(ctx, `insert into provider_credentials values ($1, $2, $3, $4, $5, now())
		on conflict (environment_id, provider_config_id, version) do nothing`,
		r.stage.EnvironmentID, r.stage.ConfigID, sealed.Version, sealed.Fields, sealed.Sealed)
	return err
}

// callbacksStored counts what the API has taken in.
func (r *rig) callbacksStored(ctx context.Context) (n int, err error) {
	err = r.ours.pool.QueryRow(ctx, "select count(*) from provider_callbacks").Scan(&n)
	return n, err
}
