package service

import (
	"context"

	"perennial/db"
)

const (
	rollUpVersions = 200   // of one pass
	rollUpRecords  = 5_000 // of one transaction
)

// RollUpUsage merges records into running aggregates until no version of a metric is behind, and returns how many there
// were. Several processes may do it at once: they take turns at one version.
func (s *Service) RollUpUsage(ctx context.Context) (total int, err error) {
	behind, err := s.store.BehindUsage(ctx, rollUpVersions)
	if err != nil {
		return 0, err
	}
	for _, version := range behind {
		for n := rollUpRecords; n == rollUpRecords; total += n {
			err := s.store.InTx(ctx, db.BySystem("usage"), s.now(), func(tx *db.Tx) (err error) {
				n, err = tx.RollUpUsage(ctx, version, rollUpRecords)
				return err
			})
			if err != nil {
				return total, err
			}
		}
	}
	return total, nil
}

// UsageRebuild says what is counted again.
type UsageRebuild struct {
	EnvironmentID string // empty: all
	Dry           bool   // nothing is replaced
	// Progress is told after each page of subscriptions.
	Progress func(db.RebuiltUsage)
}

const rebuildSubscriptions = 200

// RebuildUsage counts records again and compares with their running aggregates, subscription by subscription, each in a
// transaction of its own. It may run beside everything else.
func (s *Service) RebuildUsage(ctx context.Context, by db.Actor, in UsageRebuild) (total db.RebuiltUsage, err error) {
	versions, err := s.store.UsageVersions(ctx, in.EnvironmentID)
	if err != nil {
		return total, err
	}
	for _, version := range versions {
		after := ""
		for {
			ids, err := s.store.UsageSubscriptions(ctx, version, after, rebuildSubscriptions)
			if err != nil {
				return total, err
			}
			for _, id := range ids {
				var found db.RebuiltUsage
				err := s.store.InTx(ctx, by, s.now(), func(tx *db.Tx) (err error) {
					found, err = tx.RebuildUsage(ctx, version, id, in.Dry)
					return err
				})
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
