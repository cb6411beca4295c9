package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// renewals measures paid renewals from their due second to the last settlement, and a workflow of timer, local
// activity, activity and continue-as-new that plays the same transactions and makes the same HTTP call.
func renewals(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	n, rest := Pick(o, 60, 500), Pick(o, 0, rig.RestBeforeDue)
	sides := []string{rig.SideOurs, rig.SideBare}
	if o.Writes {
		sides = append(sides, rig.SideWrites)
	}
	gap, err := r.GapFor(ctx, sides, n)
	if err != nil {
		return out, err
	}
	r.Say("renewals: preparing %d × %d subscriptions, due every %s", o.Rounds*len(sides), n, gap)
	waves, err := r.Schedule(ctx, slices.Repeat(sides, o.Rounds), n, gap, rest)
	if err != nil {
		return out, err
	}
	measured := result.Row{Path: fmt.Sprintf("paid renewals, %d due", n), Unit: "1/s", Goal: result.Goal{Ratio: 0.8}}
	cpu := map[string][]map[string]float64{}
	for i := range waves {
		w := &waves[i]
		if time.Now().After(w.Due) {
			out.Notes = append(out.Notes, fmt.Sprintf("wave %d (%s) fell due before the one before it was done", i, w.Side))
		}
		if err := r.Callbacks(ctx, o.Hears && w.Side == rig.SideOurs); err != nil {
			return out, err
		}
		if err := r.Watch(ctx, w); err != nil {
			return out, err
		}
		r.Say("renewals: %s %s/s", w.Side, result.Number(w.Rate()))
		cpu[w.Side] = append(cpu[w.Side], w.CPU)
		switch w.Side {
		case rig.SideOurs:
			measured.Ours = append(measured.Ours, w.Rate())
		case rig.SideBare:
			measured.Bare = append(measured.Bare, w.Rate())
		default:
			measured.Writes = append(measured.Writes, w.Rate())
		}
	}
	measured.OursCPU, measured.BareCPU = machine.Average(cpu[rig.SideOurs]), machine.Average(cpu[rig.SideBare])
	if o.Hears {
		measured.Path += ", with callbacks"
		stored, err := r.CallbacksStored(ctx)
		if err != nil {
			return out, err
		}
		out.Notes = append(out.Notes, fmt.Sprintf("%d callbacks were taken in", stored))
	}
	if rest == 0 {
		out.Notes = append(out.Notes, "small scale: the workflows were too young to continue as new")
	}
	out.Notes = append(out.Notes, "transactions of one renewal: "+r.Bare.Script.RenewalShape())
	told, err := timelines(ctx, r, waves)
	if err != nil {
		return out, err
	}
	out.Notes = append(out.Notes, told...)
	out.Rows = []result.Row{measured}
	return out, nil
}
