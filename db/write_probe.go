package db

import "context"

// ProbeWrite writes and commits a row, and a file of some hundred kilobytes that is deleted at once. Its error says why the
// database takes no writes: it is read-only, say, or its disk is full. Global.
func (s *Store) ProbeWrite(ctx context.Context) error {
	return s.InTx(ctx, BySystem("write probe"), s.clock(), func(tx *Tx) error {
		if err := queries.WorkMemoryLower(ctx, tx.pipe); err != nil {
			return err
		}
		return queries.WriteProbeUpdate(ctx, tx.pipe)
	})
}
