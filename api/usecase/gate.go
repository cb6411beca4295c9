package usecase

import (
	"cmp"

	"perennial/api/httpkit"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/service/usecase"
)

// Gate lets a bounded number of commands of one subscription or customer in. The rest are refused at once with 429:
// all of them wait for one row lock, so that a crowd would hold the connections of the pool and take every other
// customer's requests along.
type Gate struct{ usecase.Gate }

// Admit lets a command of a subscription or customer in, or refuses it. Fault: too_many_commands.
func (g *Gate) Admit(id string) httpkit.Admission {
	return func() (func(), error) { return g.Enter(id) }
}

// AdmitOwner is Admit for a decision about a payment, which is written under the lock of its subscription, or of the
// customer where it has none.
func (g *Gate) AdmitOwner(t payment.Transaction) httpkit.Admission {
	return g.Admit(cmp.Or(t.SubscriptionID, t.CustomerID))
}

// AdmitInvoice is Admit for a command about an invoice: of its subscription, or of the customer where it is a manual
// one.
func (g *Gate) AdmitInvoice(inv invoice.Invoice) httpkit.Admission {
	return g.Admit(cmp.Or(inv.SubscriptionID, inv.CustomerID))
}
