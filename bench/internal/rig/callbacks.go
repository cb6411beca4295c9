package rig

import (
	"context"
	"encoding/json"
	"net/http"
)

// callbackSecret signs the simulator's callbacks. It is public: both ends are in one run of a benchmark.
const callbackSecret = "whsec_bench"

// Callbacks makes the simulator call the API for every payment, also for one whose result the worker got in the
// response, as Stripe does; or for none.
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

// CallbacksStored returns the number of callbacks that the API has stored.
func (r *Rig) CallbacksStored(ctx context.Context) (n int, err error) {
	err = r.Ours.Pool.QueryRow(ctx, "select count(*) from provider_callbacks").Scan(&n)
	return n, err
}
