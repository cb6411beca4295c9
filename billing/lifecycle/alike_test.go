package lifecycle_test

import (
	"perennial/billing/balance"
	"perennial/billing/invoice"
)

func alikeGrants(g, h balance.Grant) bool { return g.ID == h.ID && g.Left == h.Left }

func alikeInvoices(i, j invoice.Invoice) bool {
	return i.ID == j.ID && i.Status == j.Status && i.Collection == j.Collection && i.AmountDue == j.AmountDue &&
		i.Number == j.Number
}
