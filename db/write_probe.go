package db

import (
	"context"

	"perennial/db/core"
)

// ProbeWrite writes and commits a row, and a file of some hundred kilobytes that is deleted at once. Its error says why
// the database takes no writes: it is read-only, say, or its disk is full. Global.
func (s *Store) ProbeWrite(ctx context.Context) error {
	return s.InTx(ctx, core.BySystem("write probe"), s.core.Now(), func(tx *Tx) error {
		if err := core.Queries.WorkMemoryLower(ctx, tx.Pipe); err != nil {
			return err
		}
		return core.Queries.WriteProbeUpdate(ctx, tx.Pipe)
	})
}
