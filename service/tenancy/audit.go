package tenancy

import (
	"context"
	"errors"
	"fmt"

	"perennial/db"
)

const (
	sealedAtOnce    = 500
	sealedBehindAll = 100
)

// SealWritten seals the entries of the audit log in the environments in which this process has written some, and
// returns how many it sealed. One that fails is left to SealAudit.
func (s *Service) SealWritten(ctx context.Context) (int, error) {
	return s.seal(ctx, s.Store.TakeUnsealed())
}

// SealAudit seals all unsealed entries, and returns their number. Several processes may do it at once: they take turns
// at one environment. The error joins those of all environments that fail; the others are sealed.
func (s *Service) SealAudit(ctx context.Context) (total int, err error) {
	for after := ""; ; {
		behind, listed := s.Store.Tenancy.AuditBehind(ctx, after, sealedBehindAll)
		if listed != nil {
			return total, errors.Join(err, listed)
		}
		n, failed := s.seal(ctx, behind)
		total, err = total+n, errors.Join(err, failed)
		if len(behind) < sealedBehindAll || ctx.Err() != nil {
			return total, err
		}
		after = behind[len(behind)-1]
	}
}

func (s *Service) seal(ctx context.Context, environmentIDs []string) (total int, err error) {
	for _, environmentID := range environmentIDs {
		for n := sealedAtOnce; n == sealedAtOnce; total += n {
			failed := s.Store.InTx(ctx, db.BySystem("audit"), s.Now(), func(tx *db.Tx) (err error) {
				n, err = tx.Tenancy.SealAudit(ctx, environmentID, sealedAtOnce)
				return err
			})
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("service: seal the audit log of %s: %w", environmentID, failed))
				break
			}
		}
	}
	return total, err
}
