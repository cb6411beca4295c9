package sampler

import (
	"context"
	"fmt"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/stage"
)

// wave is a number of subscriptions that are due in the same second.
type wave struct {
	due      time.Time
	subjects []stage.Subject
}

// rate returns the renewals per second until the last payment, at done.
func (w *wave) rate(done time.Time) float64 {
	return float64(len(w.subjects)) / done.Sub(w.due).Seconds()
}

// wave measures renewals that are due in the same second. Its rate ends with the last payment, and its processor time
// with the last effect of the wave.
func (s *sampler) wave(ctx context.Context, w *wave, o Order) (out Sample, err error) {
	if w == nil {
		return out, fmt.Errorf("wave %s was not prepared", o.Name)
	}
	if err := s.Callbacks(ctx, o.Callbacks); err != nil {
		return out, err
	}
	stored, err := s.CallbacksStored(ctx)
	if err != nil {
		return out, err
	}
	if time.Now().After(w.due) {
		out.Notes = append(out.Notes, fmt.Sprintf("%s fell due before the wave before it was done", o.Name))
	}
	if err := load.SleepUntil(ctx, w.due); err != nil {
		return out, err
	}
	before := s.ProcessorUsage()
	stop := func() (load.Load, error) { return load.Load{}, nil }
	if o.Reads {
		stop = load.Steadily(ctx, func(ctx context.Context, i int) error {
			return s.Read(ctx, s.URL(), w.subjects[i%len(w.subjects)].SubscriptionID)
		})
	}
	done, watched := s.Watch(ctx, w.due, w.subjects)
	reads, err := stop()
	if watched != nil {
		return out, watched
	}
	if err != nil {
		return out, err
	}
	s.quiet(ctx, o.Until)
	out.Rate, out.P99, out.CPU = w.rate(done), reads.P99, s.used(before, len(w.subjects))
	now, err := s.CallbacksStored(ctx)
	if err != nil {
		return out, err
	}
	out.Callbacks = now - stored
	wrong, err := s.NotChargedOnce(ctx, w.subjects)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%s: %d of %d subscriptions were not charged exactly once", o.Name, wrong, len(w.subjects))
	}
	return out, err
}
