package rig

import (
	"context"
	"encoding/json"
	"net/http"
)

// callbackSecret signs the simulator's callbacks. It is no secret: both ends of it live in one run of a benchmark.
const callbackSecret = "whsec_bench"

// Callbacks has the simulator tell our API of every payment, also of what the worker has learned from the response to
// its request, as Stripe does; or of nothing.
func (r *Rig) Callbacks(ctx context.Context, on bool) error {
	settings := map[string]any{}
	if on {
		if err := r.acceptCallbacks(ctx); err != nil {
			return err
		}
		settings = map[string]any{
			"url": r.Ours.URL + "/callbacks/" + r.Stage.ConfigID, "secret": callbackSecret, "synchronous": true,
		}
	}
	body, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	_, err = r.Ask(ctx, http.MethodPut, r.simulator+"/_simulator/callbacks", string(body), http.StatusOK)
	return err
}

// CallbacksStored counts what the API has taken in.
func (r *Rig) CallbacksStored(ctx context.Context) (n int, err error) {
	err = r.Ours.Pool.QueryRow(ctx, "select count(*) from provider_callbacks").Scan(&n)
	return n, err
}
