package main

import (
	"context"
	"net/http"

	"perennial/bench/stage"
)

// access measures GET /api/customers/{id}/access: what an app asks before each page that it serves.
func access(ctx context.Context, r *rig, o options) (result, error) {
	ours, other, err := r.trials(ctx, 500)
	if err != nil {
		return result{}, err
	}
	return r.reads(ctx, o, "access", ours, other, func(s stage.Subject) question {
		return question{method: http.MethodGet, path: "/api/customers/" + s.CustomerID + "/access"}
	})
}
