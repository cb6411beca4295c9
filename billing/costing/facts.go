package costing

import (
	"slices"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

// Facts are the inputs of a decision beyond the subscription itself.
type Facts struct {
	Plan    plan.Plan
	Pending *plan.Plan // of PendingPlanID
	// AddOns are the versions of add-ons that the subscription has or changes to, and those that a command adds.
	AddOns []plan.Plan
	// Scheduled are the plans and add-ons that scheduled changes lead to.
	Scheduled []plan.Plan
	Settings  subscription.Settings
	Open      []invoice.Invoice // open invoices with lines, oldest first
	Drafts    []invoice.Invoice // invoices that wait for the end of their grace, with lines
	Paid      []invoice.Invoice // paid invoices with lines that Subscription.Spans, oldest first
	// WrittenOff are the invoices that Subscription.Spans and a person voided or marked uncollectible.
	WrittenOff []invoice.Invoice
	// GivenBack is the part of the money for Paid that went back, or is reserved or owed to go back.
	GivenBack money.Minor
	// CanPay: the customer has a payment method.
	CanPay bool
	// Rates are the taxes that apply now, of all categories.
	Rates tax.Held
	// ItemID returns the id of the subscription's item for a price.
	ItemID func(priceID string) string
}

// Upcoming is the plan of the next period.
func (f Facts) Upcoming() plan.Plan {
	if f.Pending != nil {
		return *f.Pending
	}
	return f.Plan
}

// Version returns one of the versions that are known.
func (f Facts) Version(r plan.Ref) plan.Plan {
	if f.Pending != nil && f.Pending.Ref() == r {
		return *f.Pending
	}
	return f.AddOn(r)
}

// AddOn returns one of the add-ons that are known. A version that is not, which no loader leaves out, has no prices.
func (f Facts) AddOn(r plan.Ref) plan.Plan {
	for _, list := range [][]plan.Plan{f.AddOns, f.Scheduled} {
		for _, p := range list {
			if p.Ref() == r {
				return p
			}
		}
	}
	return plan.Plan{ID: r.ID, Version: r.Version}
}

// holder returns which of a plan and the add-ons has a price.
func (f Facts) holder(p plan.Plan, priceID string) plan.Plan {
	has := func(p plan.Plan) bool {
		return slices.ContainsFunc(p.Prices, func(price plan.Price) bool { return price.ID == priceID })
	}
	if has(p) {
		return p
	}
	for _, list := range [][]plan.Plan{f.AddOns, f.Scheduled} {
		if i := slices.IndexFunc(list, has); i >= 0 {
			return list[i]
		}
	}
	return p
}

// Free reports whether no period of these items on a plan costs anything.
func (f Facts) Free(items []subscription.Item, p plan.Plan) bool {
	return !slices.ContainsFunc(items, func(i subscription.Item) bool {
		return slices.ContainsFunc(f.holder(p, i.PriceID).Prices, func(price plan.Price) bool {
			return price.ID == i.PriceID && !price.Free()
		})
	})
}

// OpenFor returns the open invoice that was issued in a period, or its draft. The current period has at most one, apart
// from those of usage alone, since every later one takes in the lines of the one before.
func (f Facts) OpenFor(periodIndex int) *invoice.Invoice {
	for _, list := range [][]invoice.Invoice{f.Open, f.Drafts} {
		for i := range list {
			if list[i].PeriodIndex == periodIndex && list[i].Reason != invoice.Usage {
				return &list[i]
			}
		}
	}
	return nil
}

// OwedSince reports whether an invoice of the same period is owed that was issued after inv. An open one, or a draft,
// is always the last of its period.
func (f Facts) OwedSince(inv invoice.Invoice) bool {
	return f.owes(inv.PeriodIndex, inv.ID, func(other invoice.Invoice) bool {
		return inv.Number > 0 && other.Number > inv.Number
	})
}

// Owes reports whether an invoice of a period is owed, apart from one that was closed: open, a draft, or given up by a
// person. Those of usage alone pay for no time.
func (f Facts) Owes(periodIndex int, closed string) bool {
	return f.owes(periodIndex, closed, func(invoice.Invoice) bool { return true })
}

// owes is Owes, with those of the given-up invoices that count.
func (f Facts) owes(periodIndex int, closed string, counts func(invoice.Invoice) bool) bool {
	if open := f.OpenFor(periodIndex); open != nil && open.ID != closed {
		return true
	}
	return slices.ContainsFunc(f.WrittenOff, func(inv invoice.Invoice) bool {
		return inv.Status == invoice.Uncollectible && inv.PeriodIndex == periodIndex && inv.Reason != invoice.Usage &&
			counts(inv)
	})
}

// InCollection reports whether an open invoice other than paid has been tried already. There is one at a time, so while
// the subscription is past due it is the one that made it so.
func (f Facts) InCollection(paid string) bool {
	for _, inv := range f.Open {
		if inv.ID != paid && inv.Status == invoice.Open && inv.Collection.Phase != collection.Waiting {
			return true
		}
	}
	return false
}

// invoiced reports whether some invoice was issued in a period: open, paid, or given up, since no period is billed
// again.
func (f Facts) invoiced(periodIndex int) bool {
	for _, list := range [][]invoice.Invoice{f.Open, f.Drafts, f.Paid, f.WrittenOff} {
		for _, inv := range list {
			if inv.PeriodIndex == periodIndex && inv.Reason != invoice.Usage {
				return true
			}
		}
	}
	return false
}

// noted reports whether a paid invoice has credit notes.
func (f Facts) noted() bool {
	return slices.ContainsFunc(f.Paid, func(inv invoice.Invoice) bool { return inv.Credited.Total > 0 })
}
