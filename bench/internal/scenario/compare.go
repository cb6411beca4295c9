package scenario

import (
	"context"
	"math"

	"perennial/bench/internal/load"
	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// side measures one sample.
type side func(ctx context.Context, round int) (load.Load, error)

// compare alternates between both sides, so that a slow minute of the machine affects both, and waits between samples
// for their effects. The first round warms up and does not count.
func compare(
	ctx context.Context, r *rig.Rig, o Options, path string, g result.Goal, ours, bareSide side,
) (result.Row, error) {
	out := result.Row{Path: path, Unit: "1/s", Goal: g}
	var oursLoads, bareLoads []load.Load
	for round := range o.Rounds + 1 {
		for i, measure := range []side{ours, bareSide} {
			r.Settle(ctx)
			before := r.ProcessorUsage()
			l, err := measure(ctx, round)
			if err != nil {
				return out, err
			}
			l.CPU = r.ProcessorUsage().Each(before, l.Count)
			if round == 0 {
				continue
			}
			if i == 0 {
				oursLoads, out.Ours = append(oursLoads, l), append(out.Ours, l.Rate())
			} else {
				bareLoads, out.Bare = append(bareLoads, l), append(out.Bare, l.Rate())
			}
		}
		if round > 0 {
			r.Say("%s: round %d of %d: ours %s/s, bare %s/s",
				path, round, o.Rounds, result.Number(out.Ours[round-1]), result.Number(out.Bare[round-1]))
		}
	}
	detail(&out, oursLoads, bareLoads)
	return out, nil
}

// detail sets the latencies of each side's median sample, and the average processor times of the samples.
func detail(r *result.Row, ours, bareSide []load.Load) {
	a, b := middle(ours), middle(bareSide)
	r.OursP50, r.OursP99, r.BareP50, r.BareP99 = a.P50, a.P99, b.P50, b.P99
	r.OursCPU, r.BareCPU = averageCPU(ours), averageCPU(bareSide)
}

func averageCPU(loads []load.Load) map[string]float64 {
	var samples []map[string]float64
	for _, l := range loads {
		samples = append(samples, l.CPU)
	}
	return machine.Average(samples)
}

// middle returns the load with the median rate.
func middle(loads []load.Load) load.Load {
	var rates []float64
	for _, l := range loads {
		rates = append(rates, l.Rate())
	}
	want := load.Median(rates)
	for _, l := range loads {
		if math.Abs(l.Rate()-want) < 1e-9 {
			return l
		}
	}
	return load.Load{}
}
