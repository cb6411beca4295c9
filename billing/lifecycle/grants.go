package lifecycle

import (
	"cmp"
	"slices"

	"perennial/billing/balance"
	"perennial/billing/event"
	"perennial/billing/invoice"
)

// Credit moves the customer's plain balance and grants because of an invoice. A grant that is missing here, because it
// is void, gets only its entry: its rest is removed later, and no invoice uses it.
func (d *Decision) Credit(entries []invoice.CreditEntry, invoiceID string) {
	for _, entry := range entries {
		if entry.GrantID == "" {
			d.Balance += entry.Amount
		} else if i := d.indexGrant(entry.GrantID); i >= 0 {
			d.Grants[i].Left += entry.Amount
		}
		d.Changes.Credit = append(d.Changes.Credit, CreditEntry{entry, invoiceID})
	}
}

func (s State) indexGrant(id string) int {
	return slices.IndexFunc(s.Grants, func(g balance.Grant) bool { return g.ID == id })
}

// announceDepleted announces the grants that a newly issued invoice has used up.
func (d *Decision) announceDepleted(inv invoice.Invoice) {
	for _, use := range inv.GrantsUsed {
		if i := d.indexGrant(use.ID); i >= 0 && d.Grants[i].Left == 0 {
			d.Announce(event.CreditGrantDepleted{
				CreditGrant: d.Grants[i].Announced(), InvoiceID: inv.ID, SubscriptionID: inv.SubscriptionID,
			})
		}
	}
}

// know adds grants to those of the State.
func (d *Decision) know(grants []balance.Grant) {
	for _, g := range grants {
		if d.indexGrant(g.ID) < 0 {
			d.Grants = append(d.Grants, g)
		}
	}
}

// settleGrants keeps the grants that a later read returns: those with a rest, and those that open invoices have used.
func (d *Decision) settleGrants() {
	d.Grants = slices.DeleteFunc(d.Grants, func(g balance.Grant) bool { return g.Left == 0 && !d.usedByOpen(g.ID) })
	if len(d.Grants) == 0 {
		d.Grants = nil
	}
	slices.SortFunc(d.Grants, func(a, b balance.Grant) int { return cmp.Compare(a.ID, b.ID) })
}

func (s State) usedByOpen(grantID string) bool {
	return slices.ContainsFunc(s.Open, func(inv invoice.Invoice) bool {
		return slices.ContainsFunc(inv.GrantsUsed, func(use balance.Use) bool { return use.ID == grantID })
	})
}
