package emits

import (
	"perennial/activities/due"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/service/customers"
	"perennial/service/invoices"
	"perennial/service/usecase"
)

var noneAround = usecase.Around[invoice.Invoice]{}

// manualInvoices set the scene of the requests about manual invoices.
var manualInvoices = map[string]func(*stage) func() error{
	"createBalanceEntry": func(s *stage) func() error {
		c := s.Customer(s.t, "")
		return func() error {
			return s.service.Customers.AdjustBalance(s.ctx, s.by,
				customers.BalanceAdjustment{CustomerID: c.ID, Currency: "EUR", Amount: 500},
				usecase.Around[db.BalanceEntry]{})
		}
	},
	"createInvoice": func(s *stage) func() error {
		return func() error { _, err := s.draft(true, terms.Terms{}); return err }
	},
	"updateInvoice": func(s *stage) func() error {
		draft := s.drafted(true, terms.Terms{})
		return func() error {
			return s.service.Invoices.ReviseInvoice(s.ctx, s.by, draft.ID, invoicing.Change{Lines: work(700)}, noneAround)
		}
	},
	"deleteInvoice": func(s *stage) func() error {
		draft := s.drafted(true, terms.Terms{})
		return func() error { return s.service.Invoices.DeleteInvoice(s.ctx, s.by, draft.ID, noneAround) }
	},
	"finalizeInvoice": func(s *stage) func() error { return s.finalize(s.drafted(true, terms.Terms{})) },
	"finalizeInvoice credit covers it": func(s *stage) func() error {
		l := s.active(30000)
		s.must(l.changePlan(1000, false))
		draft, err := s.draftFor(l.sub().CustomerID, terms.Terms{})
		s.must(err)
		return s.finalize(draft)
	},
	"finalizeInvoice of a subscription": finalizeOfSubscription,
	"finalizeInvoice without a payment method": func(s *stage) func() error {
		return s.finalize(s.drafted(false, terms.Terms{}))
	},
	"updateSubscription its payment terms": func(s *stage) func() error { return s.active(1000).sent },
	"payInvoice": func(s *stage) func() error {
		draft := s.drafted(true, terms.Terms{Method: terms.Send})
		s.must(s.finalize(draft)())
		return func() error {
			return s.service.Invoices.PayInvoice(s.ctx, s.by, lifecycle.Pay{InvoiceID: draft.ID}, usecase.Around[usecase.Performed]{})
		}
	},
}

// overdue sets the scene of the end of a manual invoice's payment terms.
func overdue(s *stage) func() error {
	draft := s.drafted(true, terms.Terms{Method: terms.Send})
	s.must(s.finalize(draft)())
	s.pass(2)
	return func() error {
		owed := db.DueInvoice{Ref: db.Ref{EnvironmentID: s.by.EnvironmentID, ID: draft.ID}, CustomerID: draft.CustomerID}
		return due.AnnounceOverdue(s.ctx, s.Store, owed, s.Clock.Now())
	}
}

// overdueAfterTheEnd sets the scene for the end of the payment terms of a canceled subscription's open invoice.
func overdueAfterTheEnd(s *stage) func() error {
	l := s.active(1000)
	s.must(l.sent())
	l.wait(subscription.ActionRenewal)
	s.must(l.due())
	s.must(l.command(lifecycle.Cancel{Immediate: true}))
	s.pass(9)
	return func() error {
		owed, err := s.Store.Invoices.Due(s.ctx, s.Clock.Now(), 1)
		if err != nil {
			return err
		}
		return due.AnnounceOverdue(s.ctx, s.Store, owed[0], s.Clock.Now())
	}
}

func work(amount money.Minor) []invoicing.Line {
	return []invoicing.Line{{Description: "Work", Amount: &amount}}
}

func (s *stage) draft(card bool, how terms.Terms) (invoice.Invoice, error) {
	c := s.Customer(s.t, "")
	if !card {
		s.SetMethod(s.t, c.ID, nil)
	}
	return s.draftFor(c.ID, how)
}

func (s *stage) drafted(card bool, how terms.Terms) invoice.Invoice {
	draft, err := s.draft(card, how)
	s.must(err)
	return draft
}

func (s *stage) draftFor(customerID string, how terms.Terms) (invoice.Invoice, error) {
	return s.service.Invoices.CreateInvoice(s.ctx, s.by, invoices.NewInvoice{
		CustomerID: customerID, Currency: "EUR", Content: invoicing.Content{Lines: work(1000), Terms: how},
	}, nil)
}

func (s *stage) finalize(draft invoice.Invoice) func() error {
	return func() error { return s.service.Invoices.FinalizeInvoice(s.ctx, s.by, draft.ID, false, noneAround) }
}

// sent has the next invoices of a subscription sent, to be paid within the week.
func (l *life) sent() error {
	method, days := terms.Send, 7
	return l.command(lifecycle.SetTerms{Method: &method, NetDays: &days})
}
