// Package templates has the reads and writes of how documents look, and of what was drawn of them.
package templates

import "perennial/db/core"

// Reader has the reads of this column.
type Reader struct{ core.Reader }

// Tx has the writes of this column in addition to the reads.
type Tx struct {
	*core.Tx
	Reader
}

// On makes the column of a transaction.
func On(tx *core.Tx) Tx { return Tx{tx, Reader{tx.Reads()}} }
