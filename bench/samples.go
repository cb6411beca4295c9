package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/bench/internal/rig"
	"perennial/bench/internal/sampler"
	"perennial/bench/stage"
)

// measured adapts the product of this commit to sampler. It uses the rig's other methods directly.
type measured struct{ *rig.Rig }

var _ sampler.Rig = measured{}

func startMeasured(ctx context.Context, c sampler.Config) (sampler.Rig, error) {
	r, err := rig.New(ctx, rig.Config{
		Kind: c.Temporal, State: c.State, Binary: c.Binary, Patience: 30 * time.Second, Say: c.Say,
	})
	return measured{r}, err
}

func (m measured) URL() string         { return m.Ours.URL }
func (m measured) Pool() *pgxpool.Pool { return m.Ours.Pool }
func (m measured) BasicPlan() string   { return m.Stage.Basic.ID }

func (m measured) Customers(ctx context.Context, n int) ([]string, error) {
	return m.Stage.Customers(ctx, m.Ours.Store, n, time.Now())
}

func (m measured) Trials(ctx context.Context, n int) ([]stage.Subject, error) {
	subjects, err := m.Stage.Trials(ctx, m.Ours.Store, n, time.Now())
	if err != nil {
		return nil, err
	}
	return subjects, m.NoteStarted(ctx, subjects)
}

func (m measured) Commanded(ctx context.Context, n int) ([]stage.Subject, error) {
	subjects, err := m.Stage.Trials(ctx, m.Ours.Store, n, time.Now())
	if err != nil {
		return nil, err
	}
	if err := m.StartOursAll(ctx, subjects); err != nil {
		return nil, err
	}
	return subjects, m.Begun(ctx, m.Ours.Temporal, subjects)
}

func (m measured) Due(ctx context.Context, n int, due time.Time) ([]stage.Subject, error) {
	w := rig.Wave{Side: rig.SideOurs, Due: due}
	err := m.PrepareWave(ctx, &w, n)
	return w.Subjects, err
}

func (m measured) Watch(ctx context.Context, due time.Time, subjects []stage.Subject) (time.Time, error) {
	w := rig.Wave{Side: rig.SideOurs, Due: due, Subjects: subjects}
	err := m.Rig.Watch(ctx, &w)
	return w.Done, err
}

func (m measured) Settle(ctx context.Context, patience time.Duration) { m.SettleWithin(ctx, patience) }
