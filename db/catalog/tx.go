// Package catalog has the reads and writes of products, plans, coupons and tax rates.
package catalog

import (
	"perennial/db/core"
	"perennial/db/tenancy"
)

// Reader has the reads of this column.
type Reader struct{ core.Reader }

// Tx has the writes of this column in addition to the reads.
type Tx struct {
	*core.Tx
	Reader
	tenancy *tenancy.Tx
}

// On makes the column of a transaction.
func On(tx *core.Tx, tenancy *tenancy.Tx) Tx {
	return Tx{Tx: tx, Reader: Reader{tx.Reads()}, tenancy: tenancy}
}
