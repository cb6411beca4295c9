// Package lifecycle reads and locks the facts of a decision about a subscription, an invoice or a payment, and writes
// its changes.
package lifecycle

import (
	"perennial/db/core"
	"perennial/db/customers"
	"perennial/db/invoices"
	"perennial/db/payments"
	"perennial/db/subscriptions"
)

// Tx has the locks and the writes of this column.
type Tx struct {
	*core.Tx
	core.Reader
	customers     *customers.Tx
	payments      *payments.Tx
	invoices      *invoices.Tx
	subscriptions *subscriptions.Tx
}

// On makes the column of a transaction.
func On(
	tx *core.Tx, customers *customers.Tx, payments *payments.Tx, invoices *invoices.Tx,
	subscriptions *subscriptions.Tx,
) Tx {
	return Tx{
		Tx: tx, Reader: tx.Reads(),
		customers: customers, payments: payments, invoices: invoices, subscriptions: subscriptions,
	}
}
