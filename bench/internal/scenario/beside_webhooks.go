package scenario

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// besideWebhooks measures paid renewals with an endpoint that gets every event, and the same renewals without one,
// which its rows call bare.
func besideWebhooks(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	inbox, err := startSink(ctx, r)
	if err != nil {
		return out, err
	}
	ids, err := insertEndpoints(ctx, r, inbox.url, 1)
	if err != nil {
		return out, err
	}
	n, rest := Pick(o, 60, 500), Pick(o, 0, rig.RestBeforeDue)
	sides := []string{rig.SideOurs, rig.SideOurs} // with an endpoint, and without
	gap, err := r.GapFor(ctx, sides[:1], n)
	if err != nil {
		return out, err
	}
	gap += gap / 2 // deliveries may last longer than their wave
	r.Say("beside webhooks: preparing %d × %d subscriptions, due every %s", o.Rounds*len(sides), n, gap)
	waves, err := r.Schedule(ctx, slices.Repeat(sides, o.Rounds), n, gap, rest)
	if err != nil {
		return out, err
	}
	measured := result.Row{
		Path: fmt.Sprintf("paid renewals with a webhook endpoint; bare: without, %d due", n), Unit: "1/s",
		Goal: result.Goal{Ratio: 0.85},
	}
	with, without := []map[string]float64{}, []map[string]float64{}
	for i := range waves {
		w := &waves[i]
		registered, action := i%2 == 0, "disable"
		if registered {
			action = "enable"
		}
		if _, err := r.Ask(ctx, http.MethodPost, r.Ours.URL+"/api/webhooks/"+ids[0]+"/"+action, "",
			http.StatusOK); err != nil {
			return out, err
		}
		if time.Now().After(w.Due) {
			out.Notes = append(out.Notes, fmt.Sprintf("wave %d fell due before the one before it was done", i))
		}
		before := inbox.count()
		if err := r.Watch(ctx, w); err != nil {
			return out, err
		}
		if err := recorded(ctx, r); err != nil {
			return out, err
		}
		arrived := inbox.count() - before
		r.Say("beside webhooks: %s/s, %d deliveries", result.Number(w.Rate()), arrived)
		switch {
		case registered && arrived < n || !registered && arrived > 0:
			return out, fmt.Errorf("wave %d of %d renewals had %d deliveries", i, n, arrived)
		case registered:
			measured.Ours, with = append(measured.Ours, w.Rate()), append(with, w.CPU)
		default:
			measured.Bare, without = append(measured.Bare, w.Rate()), append(without, w.CPU)
		}
	}
	measured.OursCPU, measured.BareCPU = machine.Average(with), machine.Average(without)
	out.Rows = []result.Row{measured}
	return out, deleteEndpoints(ctx, r, ids)
}
