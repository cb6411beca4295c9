package usage

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"perennial/billing/fault"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// Outcome is the result of a record: written, now or by an earlier request with the same key, or refused.
type Outcome struct {
	Record   usage.Record
	Repeated bool
	Refusal  error
}

var errUsageKeyReused = fault.InvalidParam("idempotencyKey", "usage_key_reused",
	"This `idempotencyKey` was used for another record. Keys are unique in the environment for ever. "+
		"Send a new key with a new record.")

// RecordUsage records one record. Concurrent records are written together. Faults: those of usage.Record.Validate,
// usage.Admit and usage.Correct; usage_key_reused, usage_record_not_found.
func (s *Service) RecordUsage(ctx context.Context, by usecase.Caller, r usage.Record) (Outcome, error) {
	if err := r.Validate(); err != nil {
		return Outcome{}, err
	}
	if r.Corrects != "" {
		out, err := s.correctUsage(ctx, by, r)
		return out, cmp.Or(err, out.Refusal)
	}
	out, err := s.gather.submit(ctx, s, by, r)
	return out, cmp.Or(err, out.Refusal)
}

// RecordUsageBatch records records and returns their outcomes, in their order. With an error, nothing was written. A
// later failure is the refusal of the records that it leaves undecided: usage_undecided, or the defect itself.
func (s *Service) RecordUsageBatch(
	ctx context.Context, by usecase.Caller, records []usage.Record,
) ([]Outcome, error) {
	outcomes := make([]Outcome, len(records))
	var plain, corrections []int
	for i, r := range records {
		outcomes[i].Record = r
		switch outcomes[i].Refusal = r.Validate(); {
		case outcomes[i].Refusal != nil:
		case r.Corrects == "":
			plain = append(plain, i)
		default:
			corrections = append(corrections, i)
		}
	}
	if len(plain) > 0 {
		if err := s.recordUsage(ctx, by, outcomes, plain); err != nil {
			return nil, err
		}
	}
	// Corrections come last, so that they can correct records of the same batch. If a batch is sent again, its written
	// corrections are known, so it gets further than before.
	known, err := s.usageKeys(ctx, by, outcomes, corrections)
	for _, i := range corrections {
		out := &outcomes[i]
		key, used := known[out.Record.Key]
		switch {
		case err != nil:
			out.Refusal = undecided(ctx, err)
		case used:
			out.repeat(key, out.Record.Fingerprint())
		default:
			corrected, failure := s.correctUsage(ctx, by, records[i])
			if *out = corrected; failure == nil {
				continue
			}
			if out.Refusal = undecided(ctx, failure); errors.Is(out.Refusal, errUndecided) {
				err = failure // also for later ones: each would wait for the unavailable database
			}
		}
	}
	return outcomes, nil
}

// recordUsage writes the outcomes at these indexes, and decides about unwritten ones. With an error, none is written.
func (s *Service) recordUsage(ctx context.Context, by usecase.Caller, outcomes []Outcome, at []int) error {
	now := s.Now()
	records := make([]db.NewUsage, len(at))
	for n, i := range at {
		r := outcomes[i].Record
		records[n] = db.NewUsage{Record: r, Fingerprint: r.Fingerprint()}
		records[n].ID = id.New(id.UsageRecord, now)
	}
	taken, err := s.usage.RecordUsage(ctx, by.Actor, by.EnvironmentID, now, records)
	if err != nil {
		return err
	}
	here := map[string]int{} // the index of the record that has reserved a key
	for n, t := range taken {
		records[n].At = t.At
		if outcomes[at[n]].Record = records[n].Record; t.Taken {
			s.recorded.note(by.EnvironmentID, records[n].Metric)
			here[records[n].Key] = n
		}
	}
	var others []int // records whose keys were used before this batch, or that are refused
	for n, t := range taken {
		first, used := here[records[n].Key]
		switch {
		case t.Taken:
		case used && first < n:
			outcomes[at[n]].repeat(db.UsageKey{
				RecordID: records[first].ID, At: records[first].At, Fingerprint: records[first].Fingerprint,
			}, records[n].Fingerprint)
		default:
			others = append(others, n)
		}
	}
	places := make([]int, len(others))
	for i, n := range others {
		places[i] = at[n]
	}
	// Keys come first: a repetition gets the first response, also if the subscription has changed since.
	known, err := s.usageKeys(ctx, by, outcomes, places)
	for _, n := range others {
		out := &outcomes[at[n]]
		key, used := known[records[n].Key]
		_, later := here[records[n].Key] // a later one has it: this one was refused
		switch {
		case err != nil:
			out.Refusal = undecided(ctx, err)
		case used && !later:
			out.repeat(key, records[n].Fingerprint)
		default:
			if out.Refusal = usage.Admit(out.Record, taken[n].Facts); out.Refusal == nil {
				out.Refusal = errUndecided
			}
		}
	}
	return nil
}

// usageKeys reads the rows of keys of the outcomes at these indexes.
func (s *Service) usageKeys(
	ctx context.Context, by usecase.Caller, outcomes []Outcome, at []int,
) (map[string]db.UsageKey, error) {
	if len(at) == 0 {
		return nil, nil
	}
	keys := make([]string, len(at))
	for n, i := range at {
		keys[n] = outcomes[i].Record.Key
	}
	return s.usage.UsageKeys(ctx, by.EnvironmentID, keys)
}

var errUndecided = fault.New(fault.Unavailable, "usage_undecided",
	"The record was not decided. Send it again with the same `idempotencyKey`.")

// undecided returns the refusal of a record that may or may not be written: the database failed after a part of the
// batch, or the transaction with its key was rolled back just now. The caller repeats the request. A defect stays an
// internal fault: a repetition would have it again.
func undecided(ctx context.Context, cause error) error {
	if fault.From(cause).Kind == fault.Internal && ctx.Err() == nil {
		return cause
	}
	return errUndecided.Because(cause)
}

// repeat sets the outcome of a key that was used before.
func (o *Outcome) repeat(key db.UsageKey, fingerprint []byte) {
	o.Repeated = true
	if o.Record.ID, o.Record.At = key.RecordID, key.At; !bytes.Equal(key.Fingerprint, fingerprint) {
		o.Repeated, o.Refusal = false, errUsageKeyReused
	}
}

// correctUsage records one correction.
func (s *Service) correctUsage(ctx context.Context, by usecase.Caller, r usage.Record) (Outcome, error) {
	out, now, fingerprint := Outcome{Record: r}, s.Now(), r.Fingerprint()
	correction := db.NewUsage{Record: r, Fingerprint: fingerprint}
	correction.ID = id.New(id.UsageRecord, now)
	taken, err := s.usage.CorrectUsage(ctx, by.Actor, by.EnvironmentID, now, correction, usage.Correct)
	refused := fault.From(err)
	if err != nil && !refused.Refusal() {
		return out, err
	}
	if err == nil && taken.Taken {
		s.recorded.note(by.EnvironmentID, r.Metric)
		out.Record.ID, out.Record.At = correction.ID, taken.At
		return out, nil
	}
	known, keyErr := s.usage.UsageKeys(ctx, by.EnvironmentID, []string{r.Key})
	if keyErr != nil {
		return out, keyErr
	}
	switch key, used := known[r.Key]; {
	case used:
		out.repeat(key, fingerprint)
	case err != nil:
		out.Refusal = err
	default:
		out.Record.At = taken.At
		out.Refusal = usage.Admit(out.Record, taken.Facts)
	}
	return out, nil
}
