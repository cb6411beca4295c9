package subscription

import "perennial/billing/plan"

// PaidFor is what a customer has paid for while a later change of the subscription is not paid.
type PaidFor struct {
	Plan     plan.Ref `json:"plan"`
	Quantity int64    `json:"quantity"`
	AddOns   AddOns   `json:"addOns,omitempty"`
	// PeriodIndex is the period in which the change is billed: a paid invoice of that period, or of a later one, pays for
	// the subscription as it is.
	PeriodIndex int `json:"periodIndex"`
}

// OwesChange notes that a change from was is billed and not paid yet. What was paid for before an earlier unpaid change
// stays. It has no effect before the first payment, which gives access, nor where invoices are sent: their payers are
// trusted until the invoice is overdue.
func (s *Subscription) OwesChange(was Subscription) {
	if was.ActivatedAt.IsZero() || s.Terms.Sent() {
		return
	}
	paid := PaidFor{Plan: was.Plan(), Quantity: was.Quantity, AddOns: was.AddOns}
	if was.PaidFor != nil {
		paid = *was.PaidFor
	}
	paid.PeriodIndex = s.PeriodIndex
	s.PaidFor = &paid
}

// PaysChange notes that nothing of a period's invoices is owed any more.
func (s *Subscription) PaysChange(periodIndex int) {
	if s.PaidFor != nil && periodIndex >= s.PaidFor.PeriodIndex {
		s.PaidFor = nil
	}
}

// AsPaid returns the subscription with the plan, the quantity and the add-ons that its customer has paid for.
func (s Subscription) AsPaid() Subscription {
	if paid := s.PaidFor; paid != nil {
		s.PlanID, s.PlanVersion, s.Quantity, s.AddOns = paid.Plan.ID, paid.Plan.Version, paid.Quantity, paid.AddOns
	}
	return s
}
