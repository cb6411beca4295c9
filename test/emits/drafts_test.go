package emits

import (
	"perennial/billing/invoice"
	"perennial/billing/subscription"
	"perennial/db"
)

// grace lets the invoices of renewals be drafts for an hour, until what it returns is called: others share the stage.
func (s *stage) grace() (end func()) {
	s.t.Helper()
	choose := func(minutes int) {
		_, err := s.Pool.Exec(s.ctx, "update environments set invoice_grace_minutes = $2 where id = $1", s.Env, minutes)
		s.must(err)
	}
	choose(60)
	return func() { choose(0) }
}

// drawn is a subscription whose renewal's invoice is a draft.
func (s *stage) drawn() *life {
	s.t.Helper()
	l := s.active(1000)
	defer s.grace()()
	s.must(l.at(subscription.ActionRenewal)())
	return l
}

// draftTimers set the scene of what a grace leads to.
var draftTimers = map[string]func(*stage) func() error{
	"renewal the environment has a grace for invoices": func(s *stage) func() error {
		renew := s.active(1000).at(subscription.ActionRenewal)
		return func() error {
			defer s.grace()()
			return renew()
		}
	},
	"finalize_invoice": func(s *stage) func() error { return s.drawn().at(subscription.ActionFinalize) },
	"finalize_invoice without a payment method": func(s *stage) func() error {
		l := s.drawn()
		s.SetMethod(s.t, l.sub().CustomerID, nil)
		return l.at(subscription.ActionFinalize)
	},
}

// finalizeOfSubscription issues a draft before its grace is over.
func finalizeOfSubscription(s *stage) func() error {
	l := s.drawn()
	found, _, err := s.Store.Invoices.List(s.ctx, s.by.EnvironmentID,
		db.InvoiceFilter{SubscriptionID: l.sub().ID, Status: invoice.InDraft}, db.Page{Limit: 1})
	s.must(err)
	return s.finalize(found[0])
}
