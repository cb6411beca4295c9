package emits

import (
	"time"

	"perennial/activities/due"
	"perennial/billing/balance"
	"perennial/billing/creditnote"
	"perennial/billing/money"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/service/usecase"
)

// creditGrants set the scene of the requests about credit grants.
var creditGrants = map[string]func(*stage) func() error{
	"createCreditGrant": func(s *stage) func() error {
		c := s.Customer(s.t, "")
		return func() error { _, err := s.grantTo(c.ID, time.Time{}); return err }
	},
	"voidCreditGrant": func(s *stage) func() error {
		g := s.granted(time.Time{})
		return func() error {
			return s.service.Customers.VoidCreditGrant(s.ctx, s.by, g, usecase.Around[db.CreditGrant]{})
		}
	},
	"finalizeInvoice a credit grant covers it, and nothing is left of that": func(s *stage) func() error {
		draft, err := s.draftFor(s.granted(time.Time{}).CustomerID, terms.Terms{})
		s.must(err)
		return s.finalize(draft)
	},
}

// grantExpired sets the scene of the end of a grant.
func grantExpired(s *stage) func() error {
	g := s.granted(s.Clock.Now().Add(time.Hour))
	s.pass(1)
	return func() error {
		ended := db.DueGrant{
			Ref: db.Ref{EnvironmentID: s.by.EnvironmentID, ID: g.ID}, CustomerID: g.CustomerID, Currency: g.Currency,
		}
		return due.EndGrant(s.ctx, s.Store, ended, s.Clock.Now())
	}
}

func (s *stage) granted(expiresAt time.Time) balance.Grant {
	g, err := s.grantTo(s.Customer(s.t, "").ID, expiresAt)
	s.must(err)
	return g
}

// grantTo gives a customer the price of draftFor's work.
func (s *stage) grantTo(customerID string, expiresAt time.Time) (made balance.Grant, err error) {
	err = s.service.Customers.GrantCredit(s.ctx, s.by,
		balance.Grant{CustomerID: customerID, Currency: "EUR", Amount: 1000, ExpiresAt: expiresAt},
		usecase.Around[db.CreditGrant]{After: func(_ *db.Tx, g db.CreditGrant) error {
			made = g.Grant
			return nil
		}})
	return made, err
}

// credit gives an amount of the newest invoice back; 0: all of it.
func (s *stage) credit(l *life, amount money.Minor) func() error {
	id := l.invoice().ID
	return func() error {
		ask := creditnote.Request{Amount: amount, Reason: creditnote.Goodwill}
		return s.service.Invoices.CreditInvoice(s.ctx, s.by, id, ask, usecase.Around[creditnote.Note]{})
	}
}
