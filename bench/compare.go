package main

import (
	"context"
	"math"
)

// side measures one sample.
type side func(ctx context.Context, round int) (load, error)

// compare lets both sides take turns, so that a slow minute of the machine hits both, and waits in between until what a
// sample left to do is done. The first round warms up and does not count.
func (r *rig) compare(ctx context.Context, o options, path string, g goal, ours, bareSide side) (row, error) {
	out := row{Path: path, Unit: "1/s", Goal: g}
	var oursLoads, bareLoads []load
	for round := range o.rounds + 1 {
		for i, measure := range []side{ours, bareSide} {
			r.settle(ctx)
			before := r.processorUsage()
			l, err := measure(ctx, round)
			if err != nil {
				return out, err
			}
			l.CPU = r.processorUsage().each(before, l.Count)
			if round == 0 {
				continue
			}
			if i == 0 {
				oursLoads, out.Ours = append(oursLoads, l), append(out.Ours, l.rate())
			} else {
				bareLoads, out.Bare = append(bareLoads, l), append(out.Bare, l.rate())
			}
		}
		if round > 0 {
			r.say("%s: round %d of %d: ours %s/s, bare %s/s",
				path, round, o.rounds, number(out.Ours[round-1]), number(out.Bare[round-1]))
		}
	}
	out.details(oursLoads, bareLoads)
	return out, nil
}

// details takes the latencies of each side's median sample, and what processor time the samples took on average.
func (r *row) details(ours, bareSide []load) {
	a, b := middle(ours), middle(bareSide)
	r.OursP50, r.OursP99, r.BareP50, r.BareP99 = a.P50, a.P99, b.P50, b.P99
	r.OursCPU, r.BareCPU = averageCPU(ours), averageCPU(bareSide)
}

func averageCPU(loads []load) map[string]float64 {
	var samples []map[string]float64
	for _, l := range loads {
		samples = append(samples, l.CPU)
	}
	return averageUsage(samples)
}

// middle is the load whose rate is the median.
func middle(loads []load) load {
	var rates []float64
	for _, l := range loads {
		rates = append(rates, l.rate())
	}
	want := median(rates)
	for _, l := range loads {
		if math.Abs(l.rate()-want) < 1e-9 {
			return l
		}
	}
	return load{}
}
