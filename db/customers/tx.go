// Package customers has the reads and writes of customers, their balances and credit grants, and erasures.
package customers

import (
	"perennial/db/clocks"
	"perennial/db/core"
)

// Reader has the reads of this column.
type Reader struct{ core.Reader }

// Tx has the reads and the writes of this column.
type Tx struct {
	*core.Tx
	Reader
	clocks *clocks.Tx
}

// On returns the column of a transaction.
func On(tx *core.Tx, clocks *clocks.Tx) Tx {
	return Tx{Tx: tx, Reader: Reader{tx.Reads()}, clocks: clocks}
}
