package usage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"perennial/db"
)

const (
	rollUpVersions = 200   // of one pass
	rollUpRecords  = 5_000 // of one transaction
)

// recorded has the metrics whose records this process has written and not merged, by environment and name. The zero
// value is ready.
type recorded struct {
	mu      sync.Mutex
	metrics map[string]map[string]bool
}

func (r *recorded) note(environmentID, metricName string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.metrics == nil {
		r.metrics = map[string]map[string]bool{}
	}
	if r.metrics[environmentID] == nil {
		r.metrics[environmentID] = map[string]bool{}
	}
	r.metrics[environmentID][metricName] = true
}

// take returns the metrics, and removes them.
func (r *recorded) take() map[string]map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	metrics := r.metrics
	r.metrics = nil
	return metrics
}

// RollUpRecorded merges the records of this process since the last call, and returns their number. It reads no other
// metric. RollUpUsage finds the rest after a crash, a failed version, or a merge of the same metric by another process.
func (s *Service) RollUpRecorded(ctx context.Context) (total int, err error) {
	var versions []db.Ref
	var failed []error
	for environmentID, names := range s.recorded.take() {
		some, err := s.Store.Usage.VersionsNamed(ctx, environmentID, slices.Collect(maps.Keys(names)))
		versions, failed = append(versions, some...), append(failed, err)
	}
	total, err = s.rollUp(ctx, versions)
	return total, errors.Join(append(failed, err)...)
}

// RollUpUsage merges records into running aggregates until no version of a metric is behind, and returns their number.
// It checks every version. Several processes may do it concurrently: a version has one at a time. The error joins those
// of all failing versions: they stay behind, so the last page has only them.
func (s *Service) RollUpUsage(ctx context.Context) (total int, err error) {
	for {
		behind, err := s.usage.Behind(ctx, rollUpVersions)
		if err != nil {
			return total, err
		}
		n, err := s.rollUp(ctx, behind)
		// The other versions are locked by other processes, have records in progress, or fail.
		if total += n; n == 0 || len(behind) < rollUpVersions {
			return total, err
		}
	}
}

// rollUp merges the remaining records of these versions in rotation, so that a long backlog delays no other metric. A
// failing version stops no other one.
func (s *Service) rollUp(ctx context.Context, versions []db.Ref) (total int, err error) {
	var failed []error
	for len(versions) > 0 {
		var more []db.Ref
		for _, version := range versions {
			n, err := s.usage.RollUp(ctx, asUsage, s.Now(), version, rollUpRecords)
			if ctx.Err() != nil {
				return total, ctx.Err()
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("service: merge usage of %s/%s: %w", version.EnvironmentID, version.ID, err))
				continue
			}
			if total += n; n == rollUpRecords {
				more = append(more, version)
			}
		}
		versions = more
	}
	return total, errors.Join(failed...)
}

// Rebuild selects the usage to recount.
type Rebuild struct {
	EnvironmentID string // empty: all
	Dry           bool   // replaces nothing
	// Progress is called after each page of subscriptions.
	Progress func(db.RebuiltUsage)
}

const rebuildSubscriptions = 200

// RebuildUsage recounts records and compares them with their running aggregates, subscription by subscription, each in
// a separate transaction. It may run concurrently with everything else.
func (s *Service) RebuildUsage(ctx context.Context, by db.Actor, in Rebuild) (total db.RebuiltUsage, err error) {
	versions, err := s.Store.Usage.Versions(ctx, in.EnvironmentID)
	if err != nil {
		return total, err
	}
	for _, version := range versions {
		after := ""
		for {
			ids, err := s.usage.Subscriptions(ctx, version, after, rebuildSubscriptions)
			if err != nil {
				return total, err
			}
			for _, id := range ids {
				found, err := s.usage.Rebuild(ctx, by, s.Now(), version, id, in.Dry)
				if err != nil {
					return total, err
				}
				total.Add(found)
				after = id
			}
			if len(ids) > 0 && in.Progress != nil {
				in.Progress(total)
			}
			if len(ids) < rebuildSubscriptions {
				break
			}
		}
	}
	return total, nil
}
