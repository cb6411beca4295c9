package db

import (
	"perennial/db/catalog"
	"perennial/db/clocks"
	"perennial/db/core"
	"perennial/db/customers"
	"perennial/db/emails"
	"perennial/db/invoices"
	"perennial/db/lifecycle"
	"perennial/db/moving"
	"perennial/db/payments"
	"perennial/db/reconcile"
	"perennial/db/subscriptions"
	"perennial/db/templates"
	"perennial/db/tenancy"
	"perennial/db/usage"
	"perennial/db/webhooks"
)

// Reader has the reads, by columns. Each takes the environment first and answers a row of another one exactly as an
// absent one: fault.NotFound with the code <resource>_not_found.
type Reader struct {
	core.Reader
	Tenancy       tenancy.Reader
	Clocks        clocks.Reader
	Webhooks      webhooks.Reader
	Emails        emails.Reader
	Templates     templates.Reader
	Usage         usage.Reader
	Catalog       catalog.Reader
	Customers     customers.Reader
	Payments      payments.Reader
	Invoices      invoices.Reader
	Subscriptions subscriptions.Reader
	Moving        moving.Reader
	Reconcile     reconcile.Reader
}

// Tx is one transaction: the reads, the writes and the locks, by columns. It ends with the function it was given to.
type Tx struct {
	*core.Tx
	Reader
	Tenancy       tenancy.Tx
	Clocks        clocks.Tx
	Webhooks      webhooks.Tx
	Emails        emails.Tx
	Templates     templates.Tx
	Usage         usage.Tx
	Catalog       catalog.Tx
	Customers     customers.Tx
	Payments      payments.Tx
	Invoices      invoices.Tx
	Subscriptions subscriptions.Tx
	Lifecycle     lifecycle.Tx
	Moving        moving.Tx
	Reconcile     reconcile.Tx
}

func readers(r core.Reader) Reader {
	return Reader{
		Reader:        r,
		Tenancy:       tenancy.Reader{Reader: r},
		Clocks:        clocks.Reader{Reader: r},
		Webhooks:      webhooks.Reader{Reader: r},
		Emails:        emails.Reader{Reader: r},
		Templates:     templates.Reader{Reader: r},
		Usage:         usage.Reader{Reader: r},
		Catalog:       catalog.Reader{Reader: r},
		Customers:     customers.Reader{Reader: r},
		Payments:      payments.Reader{Reader: r},
		Invoices:      invoices.Reader{Reader: r},
		Subscriptions: subscriptions.Reader{Reader: r},
		Moving:        moving.Reader{Reader: r},
		Reconcile:     reconcile.Reader{Reader: r},
	}
}

// begin makes all columns of a transaction.
func begin(begun *core.Tx) *Tx {
	tx := &Tx{
		Tx: begun, Reader: readers(begun.Reads()),
		Tenancy:       tenancy.On(begun),
		Clocks:        clocks.On(begun),
		Webhooks:      webhooks.On(begun),
		Emails:        emails.On(begun),
		Templates:     templates.On(begun),
		Usage:         usage.On(begun),
		Payments:      payments.On(begun),
		Subscriptions: subscriptions.On(begun),
		Moving:        moving.On(begun),
		Reconcile:     reconcile.On(begun),
	}
	tx.Catalog = catalog.On(begun, &tx.Tenancy)
	tx.Customers = customers.On(begun, &tx.Clocks)
	tx.Invoices = invoices.On(begun, &tx.Payments)
	tx.Lifecycle = lifecycle.On(begun, &tx.Customers, &tx.Payments, &tx.Invoices, &tx.Subscriptions)
	begun.SendInvoice = tx.Invoices.Send
	return tx
}
