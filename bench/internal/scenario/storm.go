package scenario

import (
	"context"
	"fmt"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// storm measures renewals that are all due in the same second, with concurrent reads, and then checks in the provider's
// own ledger whether each was charged once. The reads show whether renewals slow the API: a full pool or processor is
// visible there first.
func storm(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	n, rest := Pick(o, 150, 2000), Pick(o, 0, rig.RestBeforeDue)
	sides := []string{rig.SideOurs, rig.SideBare}
	gap, err := r.GapFor(ctx, sides, n)
	if err != nil {
		return out, err
	}
	r.Say("storm: preparing 2 × %d subscriptions, due %s apart", n, gap)
	waves, err := r.Schedule(ctx, sides, n, gap, rest)
	if err != nil {
		return out, err
	}
	rate := result.Row{Path: fmt.Sprintf("storm, %d due", n), Unit: "1/s", Goal: result.Goal{Ratio: 0.8}}
	reads := result.Row{
		Path: fmt.Sprintf("GET p99 during the storm, %d/s", load.ReadsPerSecond), Unit: "ms", Goal: result.Goal{Most: 500},
	}
	for i := range waves {
		w := &waves[i]
		base := r.Ours.URL
		if w.Side == rig.SideBare {
			base = r.Bare.URL
		}
		if err := load.SleepUntil(ctx, w.Due); err != nil {
			return out, err
		}
		stop := load.Steadily(ctx, func(ctx context.Context, i int) error {
			return r.Read(ctx, base, w.Subjects[i%len(w.Subjects)].SubscriptionID)
		})
		err := r.Watch(ctx, w)
		seen, readErr := stop()
		if err != nil {
			return out, err
		}
		if readErr != nil {
			return out, readErr
		}
		r.Say("storm: %s %s/s, GET p99 %s ms", w.Side, result.Number(w.Rate()), result.Number(seen.P99))
		if w.Side == rig.SideOurs {
			rate.Ours, rate.OursCPU, reads.Ours = []float64{w.Rate()}, w.CPU, []float64{seen.P99}
		} else {
			rate.Bare, rate.BareCPU, reads.Bare = []float64{w.Rate()}, w.CPU, []float64{seen.P99}
		}
	}
	if out.Notes, err = timelines(ctx, r, waves); err != nil {
		return out, err
	}
	wrong, err := r.NotChargedOnce(ctx, waves[0].Subjects)
	if err != nil {
		return out, err
	}
	charged := result.Row{
		Path: "not charged exactly once", Unit: "of " + result.Number(float64(n)), Ours: []float64{float64(wrong)},
	}
	if wrong > 0 {
		// A rate with a wrong charge is worthless, so the scenario fails and is not in the results.
		return out, fmt.Errorf("storm: %d of %d subscriptions were not charged exactly once", wrong, n)
	}
	out.Rows = []result.Row{rate, reads, charged}
	return out, nil
}
