package lifecycle_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
)

// grantSome gives the customer a grant, voids one, or ends expired ones, as the reconciler does.
func (l *life) grantSome(draw chance) {
	if !l.store.customer.ErasedAt.IsZero() {
		return
	}
	switch grants := l.store.grants; {
	case len(grants) == 0 || draw(3, "give") > 0:
		l.grant(l.someGrant(draw))
	case draw(2, "void") == 0:
		g := &grants[draw(len(grants), "which grant")]
		voided, taken, err := g.Void(l.decided())
		if err == nil {
			*g, l.store.granted = voided, l.store.granted-taken
		}
	default:
		l.endGrants()
	}
	l.checkMoney()
}

func (l *life) someGrant(draw chance) balance.Grant {
	g := balance.Grant{
		Amount: money.Minor(1 + draw(20_000, "granted")), Priority: draw(3, "priority"),
		GivenAt: l.decided(), Currency: "EUR",
	}
	if draw(2, "expires") == 0 {
		g.ExpiresAt = l.decided().Add(time.Duration(1+draw(90*86400, "seconds")) * time.Second)
	}
	if draw(4, "of some plans") == 0 {
		g.PlanIDs = []string{"plan_0", "plan_1"}
	}
	return g
}

func (l *life) grant(g balance.Grant) {
	g.ID, g.Left = fmt.Sprintf("crg_%04d", len(l.store.grants)), g.Amount
	require.NoError(l.t, g.Check())
	l.store.grants, l.store.granted = append(l.store.grants, g), l.store.granted+g.Amount
}

// endGrants ends expired grants, except those that a late boundary may use.
func (l *life) endGrants() {
	for i, g := range l.store.grants {
		if l.sub().FinishedAt.IsZero() && l.sub().NextActionAt.Before(g.ExpiresAt) && l.behind() {
			continue
		}
		ended, taken := g.End(l.decided())
		l.store.grants[i], l.store.granted = ended, l.store.granted-taken
	}
}

func uses(inv invoice.Invoice, g balance.Grant) bool {
	return slices.ContainsFunc(inv.GrantsUsed, func(use balance.Use) bool { return use.ID == g.ID })
}

// moveGrant checks the CHECK of the table: a grant's rest is never below zero, nor above its amount.
func (s *store) moveGrant(entry lifecycle.CreditEntry) {
	i := slices.IndexFunc(s.grants, func(g balance.Grant) bool { return g.ID == entry.GrantID })
	if i < 0 {
		s.fail("%s moves %s, which was never given", entry.InvoiceID, entry.GrantID)
	}
	g := &s.grants[i]
	g.Left += entry.Amount
	if g.Left < 0 || g.Left > g.Amount || entry.Amount == 0 {
		s.fail("%d on account of %s leave %d of %+v", entry.Amount, entry.InvoiceID, g.Left, g)
	}
	if entry.Amount < 0 != (entry.Reason == invoice.CreditApplied) {
		s.fail("a grant is moved by %d for %s", entry.Amount, entry.Reason)
	}
}

// checkGrantsUsed checks that a new invoice uses only grants that may pay for it, and that the ledger equals its uses.
func (s *store) checkGrantsUsed(inv invoice.Invoice, entries []lifecycle.CreditEntry) {
	var booked balance.Uses
	for _, entry := range entries {
		if entry.InvoiceID == inv.ID && entry.GrantID != "" && entry.Reason == invoice.CreditApplied {
			booked = append(booked, balance.Use{ID: entry.GrantID, Amount: -entry.Amount})
		}
	}
	if !slices.Equal(booked, inv.GrantsUsed) || inv.GrantsUsed.Sum() > inv.CreditApplied {
		s.fail("invoice %s uses %v of %d, the ledger has %v", inv.ID, inv.GrantsUsed, inv.CreditApplied, booked)
	}
	due := inv.IssuedAt // catching up may issue it late
	if inv.Period.Start.Before(due) {
		due = inv.Period.Start
	}
	for _, g := range s.grants {
		if uses(inv, g) && g.Ended(due) {
			s.fail("invoice %s of %s uses %+v", inv.ID, due, g)
		}
	}
}
