package before

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"perennial/bench/internal/result"
	"perennial/bench/internal/sampler"
)

// The sizes of a comparison: large enough for similar rates in each round, small enough for a total of a quarter of an
// hour.
const (
	getLasts     = 2 * time.Second
	createLasts  = 3 * time.Second
	commandCount = 240
	renewalCount = 300
	stormCount   = 600
)

// The goals of a comparison, as ratios of after to before.
const (
	notSlower       = 0.97
	cancelsFaster   = 2.0
	cancelsFrugaler = 0.7
)

// duel alternates between both sides.
type duel struct {
	*Comparison
	sides  [2]*commitSide
	rounds int
}

// turn takes one sample of each side, in an order that changes with the round. It drops warm-up samples.
func (d *duel) turn(ctx context.Context, into *Compared, round int, o sampler.Order) error {
	var got [2]sampler.Sample
	for _, i := range turnOrder(round) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if got[i], err = d.sides[i].take(o); err != nil {
			return err
		}
	}
	if round == 0 {
		return nil
	}
	into.add(got)
	d.tell(into, round, got)
	return nil
}

// turnOrder returns the sides in the order of a round.
func turnOrder(round int) []int { return [][]int{{0, 1}, {1, 0}}[round%2] }

func (d *duel) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%6.0f s %s\n", time.Since(d.Begun).Seconds(), fmt.Sprintf(format, args...))
}

func (d *duel) tell(path *Compared, round int, got [2]sampler.Sample) {
	d.say("%s: round %d of %d: before %s, after %s %s",
		path.Path, round, d.rounds, result.Number(got[0].Rate), result.Number(got[1].Rate), path.Unit)
}

func (d *duel) get(ctx context.Context) error {
	for _, clients := range []int{1, 32} {
		path := Compared{Path: result.ClientsPath("get", clients), Unit: "1/s", Least: notSlower}
		for round := range d.rounds + 1 {
			if err := d.turn(ctx, &path, round, sampler.Order{Do: "get", Clients: clients, Lasts: getLasts}); err != nil {
				return err
			}
		}
		d.Rows = append(d.Rows, path)
	}
	return nil
}

func (d *duel) create(ctx context.Context) error {
	for _, clients := range []int{1, 32, 128} {
		path := Compared{Path: result.ClientsPath("create", clients), Unit: "1/s", Least: notSlower}
		for round := range d.rounds + 1 {
			if err := d.turn(ctx, &path, round, sampler.Order{Do: "create", Clients: clients, Lasts: createLasts}); err != nil {
				return err
			}
		}
		d.Rows = append(d.Rows, path)
	}
	return nil
}

// commands cancels, reactivates, and changes the plan, repeatedly for the same subscriptions.
func (d *duel) commands(ctx context.Context) error {
	if err := d.both(func(s *commitSide) error {
		_, err := s.take(sampler.Order{Do: "subjects", Count: commandCount})
		return err
	}); err != nil {
		return err
	}
	cancel := Compared{
		Path: "cancel at period end, 32 clients", Unit: "1/s", Least: cancelsFaster, MostProcessor: cancelsFrugaler,
	}
	reactivate := Compared{Path: "reactivate, 32 clients", Unit: "1/s", Least: notSlower}
	patch := Compared{Path: "patch plan, 32 clients", Unit: "1/s", Least: notSlower}
	for round := range d.rounds + 1 {
		change := []string{"patch", "patch back"}[round%2]
		for _, step := range []struct {
			name string
			into *Compared
		}{{"cancel", &cancel}, {"reactivate", &reactivate}, {change, &patch}} {
			if err := d.turn(ctx, step.into, round, sampler.Order{Do: "command", Name: step.name, Clients: 32}); err != nil {
				return err
			}
		}
	}
	d.Rows = append(d.Rows, cancel, reactivate, patch)
	return nil
}

// both runs unmeasured work on both sides at once.
func (d *duel) both(do func(*commitSide) error) error {
	var all errgroup.Group
	for _, s := range d.sides {
		all.Go(func() error { return do(s) })
	}
	return all.Wait()
}
