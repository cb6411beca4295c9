package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// besideWebhooks measures paid renewals while an endpoint is owed every event, beside the same renewals without one.
// Its rows call the renewals without an endpoint bare.
func besideWebhooks(ctx context.Context, r *rig, o options) (result, error) {
	var out result
	inbox, err := r.startSink(ctx)
	if err != nil {
		return out, err
	}
	ids, err := r.endpoints(ctx, inbox.url, 1)
	if err != nil {
		return out, err
	}
	n, rest := pick(o, 60, 500), pick(o, 0, restBeforeDue)
	sides := []string{sideOurs, sideOurs} // with an endpoint, and without
	gap, err := r.gapFor(ctx, sides[:1], n)
	if err != nil {
		return out, err
	}
	gap += gap / 2 // deliveries may outlast their wave
	r.say("beside webhooks: preparing %d × %d subscriptions, due every %s", o.rounds*len(sides), n, gap)
	waves, err := r.schedule(ctx, slices.Repeat(sides, o.rounds), n, gap, rest)
	if err != nil {
		return out, err
	}
	measured := row{
		Path: fmt.Sprintf("paid renewals with a webhook endpoint; bare: without, %d due", n), Unit: "1/s",
		Goal: goal{Ratio: 0.85},
	}
	with, without := []map[string]float64{}, []map[string]float64{}
	for i := range waves {
		w := &waves[i]
		registered, action := i%2 == 0, "disable"
		if registered {
			action = "enable"
		}
		if _, err := r.ask(ctx, http.MethodPost, r.ours.url+"/api/webhooks/"+ids[0]+"/"+action, "",
			http.StatusOK); err != nil {
			return out, err
		}
		if time.Now().After(w.due) {
			out.Notes = append(out.Notes, fmt.Sprintf("wave %d fell due before the one before it was done", i))
		}
		before := inbox.count()
		if err := r.watch(ctx, w); err != nil {
			return out, err
		}
		if err := r.recorded(ctx); err != nil {
			return out, err
		}
		arrived := inbox.count() - before
		r.say("beside webhooks: %s/s, %d deliveries", number(w.rate()), arrived)
		switch {
		case registered && arrived < n || !registered && arrived > 0:
			return out, fmt.Errorf("wave %d of %d renewals had %d deliveries", i, n, arrived)
		case registered:
			measured.Ours, with = append(measured.Ours, w.rate()), append(with, w.cpu)
		default:
			measured.Bare, without = append(measured.Bare, w.rate()), append(without, w.cpu)
		}
	}
	measured.OursCPU, measured.BareCPU = averageUsage(with), averageUsage(without)
	out.Rows = []row{measured}
	return out, r.deleteEndpoints(ctx, ids)
}
