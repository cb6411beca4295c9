package before

import (
	"context"
	"fmt"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/internal/rig"
	"perennial/bench/internal/sampler"
)

// plannedWave is a number of renewals of one side that are due in the same second.
type plannedWave struct {
	path  string
	side  int
	round int
	count int
	after time.Duration // the first wave's due time
	lasts time.Duration // until the next one is due
}

func (w plannedWave) name() string { return fmt.Sprintf("%s %d", w.path, w.round) }

// lastsAt returns the time for a wave of n: for its payments, at less than half of the observed rates, for its
// remaining work, and a second of rest.
func lastsAt(n, perSecond int) time.Duration {
	return time.Duration(n/perSecond)*time.Second + 6*time.Second
}

// warmUp is a small wave of each side before all others, which is not kept.
const (
	warmUp      = "warm-up"
	warmUpCount = 40
)

// planWaves plans waves one after the other. Callbacks cost a renewal more, so their waves get more time.
func planWaves(paths []string, rounds int) []plannedWave {
	var all []plannedWave
	at := time.Duration(0)
	add := func(path string, round, count, perSecond int) {
		for _, side := range turnOrder(round) {
			w := plannedWave{path: path, side: side, round: round, count: count, after: at, lasts: lastsAt(count, perSecond)}
			all, at = append(all, w), at+w.lasts
		}
	}
	add(warmUp, 0, warmUpCount, 20)
	for _, path := range paths {
		for round := 1; round <= rounds; round++ {
			switch path {
			case "renewals":
				add(path, round, renewalCount, 40)
			case "callbacks":
				add(path, round, renewalCount, 25)
			case "storm":
				add(path, round, stormCount, 30)
			}
		}
	}
	return all
}

// preparedPerSecond is the minimum number of subscriptions that the sides prepare together per second.
const preparedPerSecond = 100

// waves prepares all waves, lets them rest, and measures each at its due time.
func (d *duel) waves(ctx context.Context, paths []string) error {
	planned := planWaves(paths, d.rounds)
	total := 0
	for _, w := range planned {
		total += w.count
	}
	first := time.Now().Add(max(time.Duration(total/preparedPerSecond)*time.Second, rig.RestBeforeDue) + rig.RestBeforeDue/2).
		Truncate(time.Second)
	d.say("waves: preparing %d subscriptions, the first due at %s", total, first.Format(time.TimeOnly))
	err := d.both(func(s *commitSide) error {
		for _, w := range planned {
			if d.sides[w.side] != s {
				continue
			}
			due := first.Add(w.after)
			if _, err := s.take(sampler.Order{Do: "prepare", Name: w.name(), Count: w.count, Due: due}); err != nil {
				return err
			}
			if left := time.Until(due); left < rig.RestBeforeDue {
				return fmt.Errorf("%s was prepared %s before it fell due, less than the %s that workflows must have "+
					"slept: the machine is too slow, or too busy", w.name(), left.Round(time.Second), rig.RestBeforeDue)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	rows := map[string]*Compared{
		"renewals":  {Path: fmt.Sprintf("paid renewals, %d due", renewalCount)},
		"callbacks": {Path: fmt.Sprintf("paid renewals with callbacks, %d due", renewalCount)},
		"storm":     {Path: fmt.Sprintf("storm, %d due, %d GET/s", stormCount, load.ReadsPerSecond), Reads: true},
	}
	for _, row := range rows {
		row.Unit, row.Least = "1/s", notSlower
	}
	var got [2]sampler.Sample
	for i, w := range planned {
		if err := ctx.Err(); err != nil {
			return err
		}
		got[w.side], err = d.sides[w.side].take(sampler.Order{
			Do: "wave", Name: w.name(), Until: first.Add(w.after + w.lasts - time.Second),
			Callbacks: w.path == "callbacks", Reads: w.path == "storm",
		})
		if err != nil {
			return err
		}
		d.Notes = append(d.Notes, got[w.side].Notes...)
		into := rows[w.path]
		if into == nil {
			continue
		}
		if i%2 == 1 { // the other side's of this round was before it
			into.add(got)
			d.tell(into, w.round, got)
		}
		if i == len(planned)-1 || planned[i+1].path != w.path { // the path's last
			d.Rows = append(d.Rows, *into)
		}
	}
	return nil
}
