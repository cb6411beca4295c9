// Package invoices has the reads and writes of invoices and credit notes.
package invoices

import (
	"perennial/db/core"
	"perennial/db/payments"
)

// Reader has the reads of this column.
type Reader struct{ core.Reader }

// Tx has the writes of this column in addition to the reads.
type Tx struct {
	*core.Tx
	Reader
	payments *payments.Tx
}

// On makes the column of a transaction.
func On(tx *core.Tx, payments *payments.Tx) Tx {
	return Tx{Tx: tx, Reader: Reader{tx.Reads()}, payments: payments}
}
