package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	processors "perennial/bench/internal/machine" // sampler and machine have other meanings in this package
	samples "perennial/bench/internal/sampler"
	"perennial/bench/stage"
)

// measured adapts the product of an earlier commit to sampler: bench/samples.go for a rig of this package.
type measured struct{ r *rig }

func startMeasured(ctx context.Context, c samples.Config) (samples.Rig, error) {
	r, err := newRig(ctx, options{scale: "small", rounds: 1, binary: c.Binary, state: c.State}, c.Temporal, c.Say)
	return measured{r}, err
}

func (m measured) Stop(ctx context.Context) error { return m.r.stop(ctx) }

func (m measured) StopBare(ctx context.Context) error {
	if err := m.r.bare.process.Stop(ctx); err != nil {
		return err
	}
	delete(m.r.pids, "bare")
	return nil
}

func (m measured) URL() string         { return m.r.ours.url }
func (m measured) Pool() *pgxpool.Pool { return m.r.ours.pool }
func (m measured) BasicPlan() string   { return m.r.stage.Basic.ID }

func (m measured) Customers(ctx context.Context, n int) ([]string, error) {
	return m.r.stage.Customers(ctx, m.r.ours.store, n, time.Now())
}

func (m measured) Trials(ctx context.Context, n int) ([]stage.Subject, error) {
	subjects, err := m.r.stage.Trials(ctx, m.r.ours.store, n, time.Now())
	if err != nil {
		return nil, err
	}
	return subjects, m.r.noteStarted(ctx, subjects)
}

func (m measured) Commanded(ctx context.Context, n int) ([]stage.Subject, error) {
	subjects, err := m.r.stage.Trials(ctx, m.r.ours.store, n, time.Now())
	if err != nil {
		return nil, err
	}
	if err := m.r.startOursAll(ctx, subjects); err != nil {
		return nil, err
	}
	return subjects, m.r.begun(ctx, m.r.ours.temporal, subjects)
}

func (m measured) Due(ctx context.Context, n int, due time.Time) ([]stage.Subject, error) {
	w := wave{side: sideOurs, due: due}
	err := m.r.prepareWave(ctx, &w, n)
	return w.subjects, err
}

func (m measured) Ask(
	ctx context.Context, method, url, body string, want int, header ...string,
) ([]byte, error) {
	return m.r.ask(ctx, method, url, body, want, header...)
}

func (m measured) Read(ctx context.Context, base, id string) error { return m.r.read(ctx, base, id) }

func (m measured) Command(ctx context.Context, name, id string) error {
	return m.r.command(ctx, name, id)
}

func (m measured) Callbacks(ctx context.Context, on bool) error { return m.r.callbacks(ctx, on) }

func (m measured) CallbacksStored(ctx context.Context) (int, error) { return m.r.callbacksStored(ctx) }

func (m measured) Watch(ctx context.Context, due time.Time, subjects []stage.Subject) (time.Time, error) {
	w := wave{side: sideOurs, due: due, subjects: subjects}
	err := m.r.watch(ctx, &w)
	return w.done, err
}

func (m measured) NotChargedOnce(ctx context.Context, subjects []stage.Subject) (int, error) {
	return m.r.notChargedOnce(ctx, subjects)
}

func (m measured) Settle(ctx context.Context, patience time.Duration) {
	was := m.r.patience
	m.r.patience = patience
	m.r.settle(ctx)
	m.r.patience = was
}

func (m measured) ProcessorUsage() processors.Usage { return processors.Usage(m.r.processorUsage()) }
