// Package emails has the reads and writes of mails and of who sends them.
package emails

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
