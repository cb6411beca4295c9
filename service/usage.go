package service

import (
	"bytes"
	"cmp"
	"context"

	"perennial/billing/fault"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
)

// UsageOutcome is what became of a record: it is written, now or by an earlier request with the same key, or refused.
type UsageOutcome struct {
	Record   usage.Record
	Repeated bool
	Refusal  error
}

var errUsageKeyReused = fault.InvalidParam("idempotencyKey", "usage_key_reused",
	"This `idempotencyKey` was used for another record. Keys are unique in the environment for ever. "+
		"Send a new key with a new record.")

// RecordUsage takes one record. Records that come at the same time are written together. Faults: those of
// usage.Record.Validate, usage.Admit and usage.Correct; usage_key_reused, usage_record_not_found.
func (s *Service) RecordUsage(ctx context.Context, by Caller, r usage.Record) (UsageOutcome, error) {
	if err := r.Validate(); err != nil {
		return UsageOutcome{}, err
	}
	if r.Corrects != "" {
		out, err := s.correctUsage(ctx, by, r)
		return out, cmp.Or(err, out.Refusal)
	}
	out, err := s.gather.submit(ctx, s, by, r)
	return out, cmp.Or(err, out.Refusal)
}

// RecordUsageBatch takes records and answers each, in their order. The error is that of all: nothing was written.
func (s *Service) RecordUsageBatch(ctx context.Context, by Caller, records []usage.Record) ([]UsageOutcome, error) {
	outcomes := make([]UsageOutcome, len(records))
	var valid []int
	for i, r := range records {
		outcomes[i].Record = r
		if outcomes[i].Refusal = r.Validate(); outcomes[i].Refusal == nil && r.Corrects == "" {
			valid = append(valid, i)
		}
	}
	// A key that occurs again is judged after the first record that has it.
	for len(valid) > 0 {
		seen := make(map[string]bool, len(valid))
		var now, later []int
		for _, i := range valid {
			if key := records[i].Key; seen[key] {
				later = append(later, i)
			} else {
				seen[key], now = true, append(now, i)
			}
		}
		if err := s.recordUsage(ctx, by, outcomes, now); err != nil {
			return nil, err
		}
		valid = later
	}
	// Corrections come last, so that they may correct records of the same batch.
	for i, r := range records {
		if outcomes[i].Refusal != nil || r.Corrects == "" {
			continue
		}
		var err error
		if outcomes[i], err = s.correctUsage(ctx, by, r); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// recordUsage writes the outcomes at these places, whose keys differ.
func (s *Service) recordUsage(ctx context.Context, by Caller, outcomes []UsageOutcome, at []int) error {
	now := s.now()
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
	var others []int // of records: a repeat, or refused
	for n, t := range taken {
		records[n].At = t.At
		if t.Taken {
			s.recorded.note(by.EnvironmentID, records[n].Metric)
		}
		if outcomes[at[n]].Record = records[n].Record; !t.Taken {
			others = append(others, n)
		}
	}
	if len(others) == 0 {
		return nil
	}
	// Keys come first: a repeat is answered as its first request was, whatever has become of the subscription since.
	keys := make([]string, len(others))
	for n, i := range others {
		keys[n] = records[i].Key
	}
	known, err := s.usage.UsageKeys(ctx, by.EnvironmentID, keys)
	if err != nil {
		return err
	}
	for _, n := range others {
		out := &outcomes[at[n]]
		if key, used := known[records[n].Key]; used {
			out.repeat(key, records[n].Fingerprint)
			continue
		}
		if out.Refusal = usage.Admit(out.Record, taken[n].Facts); out.Refusal == nil {
			return errUsageUndecided
		}
	}
	return nil
}

// errUsageUndecided says that a record was neither written nor refused nor a repeat: the transaction that had taken its
// key was rolled back just now. The caller repeats the request.
var errUsageUndecided = fault.New(fault.Unavailable, "usage_undecided",
	"Another request with this `idempotencyKey` failed at the same time. Send the request again.")

// repeat answers a key that was used before.
func (o *UsageOutcome) repeat(key db.UsageKey, fingerprint []byte) {
	o.Repeated = true
	if o.Record.ID, o.Record.At = key.RecordID, key.At; !bytes.Equal(key.Fingerprint, fingerprint) {
		o.Repeated, o.Refusal = false, errUsageKeyReused
	}
}

// correctUsage takes one correction.
func (s *Service) correctUsage(ctx context.Context, by Caller, r usage.Record) (UsageOutcome, error) {
	out, now, fingerprint := UsageOutcome{Record: r}, s.now(), r.Fingerprint()
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
