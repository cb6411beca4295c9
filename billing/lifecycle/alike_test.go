package lifecycle_test

import (
	"reflect"
	"slices"

	"perennial/billing/balance"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
)

// same reports whether two States are equal. Captures are compared only where both have them, and an empty list equals
// none.
func same(a, b lifecycle.State) bool {
	if a.Captures == nil || b.Captures == nil {
		a.Captures, b.Captures = nil, nil
	}
	for _, s := range []*lifecycle.State{&a, &b} {
		if len(s.Open) == 0 {
			s.Open = nil
		}
		if len(s.Drafts) == 0 {
			s.Drafts = nil
		}
		if len(s.Paid) == 0 {
			s.Paid = nil
		}
		if len(s.WrittenOff) == 0 {
			s.WrittenOff = nil
		}
		if len(s.Pending) == 0 {
			s.Pending = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

// alike is same for the fields that change most, for a million comparisons; the thorough lives compare all fields.
func alike(a, b lifecycle.State) bool {
	s, r := a.Subscription, b.Subscription
	return a.Balance == b.Balance && slices.EqualFunc(a.Grants, b.Grants, alikeGrants) && a.Plan.Ref() == b.Plan.Ref() &&
		(a.PendingPlan == nil) == (b.PendingPlan == nil) &&
		s.Revision == r.Revision && s.Status == r.Status && s.CurrentPeriod == r.CurrentPeriod &&
		s.PaidThrough.Equal(r.PaidThrough) &&
		s.CollectingInvoiceID == r.CollectingInvoiceID && s.NextAction == r.NextAction &&
		s.NextActionAt.Equal(r.NextActionAt) &&
		slices.EqualFunc(a.Open, b.Open, alikeInvoices) && slices.EqualFunc(a.Drafts, b.Drafts, alikeInvoices) &&
		slices.EqualFunc(a.Paid, b.Paid, alikeInvoices) &&
		slices.EqualFunc(a.WrittenOff, b.WrittenOff, alikeInvoices) &&
		slices.EqualFunc(a.Pending, b.Pending, func(t, u payment.Transaction) bool {
			return t.ID == u.ID && t.Revision == u.Revision && t.NextCheckAt.Equal(u.NextCheckAt) && t.Status == u.Status
		})
}

func alikeGrants(g, h balance.Grant) bool { return g.ID == h.ID && g.Left == h.Left }

func alikeInvoices(i, j invoice.Invoice) bool {
	return i.ID == j.ID && i.Status == j.Status && i.Collection == j.Collection && i.AmountDue == j.AmountDue &&
		i.Number == j.Number
}
