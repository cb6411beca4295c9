package scenario

import (
	"context"
	"net/http"

	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
)

// access measures GET /api/customers/{id}/access, which an app may request before each page.
func access(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	ours, other, err := trials(ctx, r, 500)
	if err != nil {
		return result.Result{}, err
	}
	return reads(ctx, r, o, "access", ours, other, func(s stage.Subject) question {
		return question{method: http.MethodGet, path: "/api/customers/" + s.CustomerID + "/access"}
	})
}
