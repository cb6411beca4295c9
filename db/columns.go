package db

import (
	"perennial/db/core"
)

// Reader has the reads, by columns. Each takes the environment first and answers a row of another one exactly as an
// absent one: fault.NotFound with the code <resource>_not_found.
type Reader struct {
	core.Reader
}

// Tx is one transaction: the reads, the writes and the locks, by columns. It ends with the function it was given to.
type Tx struct {
	*core.Tx
	Reader
}

func readers(r core.Reader) Reader {
	return Reader{
		Reader: r,
	}
}

// begin makes all columns of a transaction.
func begin(begun *core.Tx) *Tx {
	tx := &Tx{
		Tx: begun, Reader: readers(begun.Reads()),
	}
	begun.SendInvoice = tx.insertInvoice
	return tx
}
