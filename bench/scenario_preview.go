package main

import (
	"context"
	"net/http"

	"perennial/bench/stage"
)

// preview measures POST /api/subscriptions/{id}/preview of a change of plan, with the three invoices that follow it.
func preview(ctx context.Context, r *rig, o options) (result, error) {
	ours, other, err := r.trials(ctx, 500)
	if err != nil {
		return result{}, err
	}
	body := `{"planId":"` + r.stage.Pro.ID + `","upcomingCount":3}`
	return r.reads(ctx, o, "preview", ours, other, func(s stage.Subject) question {
		return question{
			method: http.MethodPost, path: "/api/subscriptions/" + s.SubscriptionID + "/preview", body: body,
		}
	})
}
