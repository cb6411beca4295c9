package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// renewals measures paid renewals from the second in which they fall due to the last one settled, beside a workflow of
// timer, local activity, activity and continue-as-new that plays the same transactions and makes the same HTTP call.
func renewals(ctx context.Context, r *rig, o options) (result, error) {
	var out result
	n, rest := pick(o, 60, 500), pick(o, 0, restBeforeDue)
	sides := []string{sideOurs, sideBare}
	if o.writes {
		sides = append(sides, sideWrites)
	}
	gap, err := r.gapFor(ctx, sides, n)
	if err != nil {
		return out, err
	}
	r.say("renewals: preparing %d × %d subscriptions, due every %s", o.rounds*len(sides), n, gap)
	waves, err := r.schedule(ctx, slices.Repeat(sides, o.rounds), n, gap, rest)
	if err != nil {
		return out, err
	}
	measured := row{Path: fmt.Sprintf("paid renewals, %d due", n), Unit: "1/s", Goal: goal{Ratio: 0.8}}
	cpu := map[string][]map[string]float64{}
	for i := range waves {
		w := &waves[i]
		if time.Now().After(w.due) {
			out.Notes = append(out.Notes, fmt.Sprintf("wave %d (%s) fell due before the one before it was done", i, w.side))
		}
		if err := r.callbacks(ctx, o.hears && w.side == sideOurs); err != nil {
			return out, err
		}
		if err := r.watch(ctx, w); err != nil {
			return out, err
		}
		r.say("renewals: %s %s/s", w.side, number(w.rate()))
		cpu[w.side] = append(cpu[w.side], w.cpu)
		switch w.side {
		case sideOurs:
			measured.Ours = append(measured.Ours, w.rate())
		case sideBare:
			measured.Bare = append(measured.Bare, w.rate())
		default:
			measured.Writes = append(measured.Writes, w.rate())
		}
	}
	measured.OursCPU, measured.BareCPU = averageUsage(cpu[sideOurs]), averageUsage(cpu[sideBare])
	if o.hears {
		measured.Path += ", with callbacks"
		stored, err := r.callbacksStored(ctx)
		if err != nil {
			return out, err
		}
		out.Notes = append(out.Notes, fmt.Sprintf("%d callbacks were taken in", stored))
	}
	if rest == 0 {
		out.Notes = append(out.Notes, "small scale: the workflows were too young to continue as new")
	}
	out.Notes = append(out.Notes, "transactions of one renewal: "+r.bare.script.RenewalShape())
	told, err := r.timelines(ctx, waves)
	if err != nil {
		return out, err
	}
	out.Notes = append(out.Notes, told...)
	out.Rows = []row{measured}
	return out, nil
}
