package main

import (
	"context"
	"fmt"
	"time"
)

// wave measures renewals that fall due in the same second. Its rate ends with the last payment; its processor time with
// the last thing that the wave left to do.
func (s *sampler) wave(ctx context.Context, w *wave, o order) (out sample, err error) {
	if w == nil {
		return out, fmt.Errorf("wave %s was not prepared", o.Name)
	}
	if err := s.callbacks(ctx, o.Callbacks); err != nil {
		return out, err
	}
	stored, err := s.callbacksStored(ctx)
	if err != nil {
		return out, err
	}
	if time.Now().After(w.due) {
		out.Notes = append(out.Notes, fmt.Sprintf("%s fell due before the wave before it was done", o.Name))
	}
	if err := sleepUntil(ctx, w.due); err != nil {
		return out, err
	}
	before := s.processorUsage()
	stop := func() (load, error) { return load{}, nil }
	if o.Reads {
		stop = s.readSteadily(ctx, s.ours.url, w.subjects)
	}
	watched := s.watch(ctx, w)
	reads, err := stop()
	if watched != nil {
		return out, watched
	}
	if err != nil {
		return out, err
	}
	s.quiet(ctx, o.Until)
	out.Rate, out.P99, out.CPU = w.rate(), reads.P99, s.used(before, len(w.subjects))
	now, err := s.callbacksStored(ctx)
	if err != nil {
		return out, err
	}
	out.Callbacks = now - stored
	wrong, err := s.notChargedOnce(ctx, w.subjects)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%s: %d of %d subscriptions were not charged exactly once", o.Name, wrong, len(w.subjects))
	}
	return out, err
}
