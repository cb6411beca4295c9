package scenario

import (
	"context"
	"net/http"

	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
)

// preview measures POST /api/subscriptions/{id}/preview of a change of plan, with the next three invoices.
func preview(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	ours, other, err := trials(ctx, r, 500)
	if err != nil {
		return result.Result{}, err
	}
	body := `{"planId":"` + r.Stage.Pro.ID + `","upcomingCount":3}`
	return reads(ctx, r, o, "preview", ours, other, func(s stage.Subject) question {
		return question{
			method: http.MethodPost, path: "/api/subscriptions/" + s.SubscriptionID + "/preview", body: body,
		}
	})
}
