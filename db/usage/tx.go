// Package usage has the reads and writes of metrics, usage records and their quantities.
package usage

import "perennial/db/core"

// Reader has the reads of this column.
type Reader struct{ core.Reader }

// Tx has the reads and the writes of this column.
type Tx struct {
	*core.Tx
	Reader
}

// On returns the column of a transaction.
func On(tx *core.Tx) Tx { return Tx{tx, Reader{tx.Reads()}} }
