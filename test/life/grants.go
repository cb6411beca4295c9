package life

import (
	"testing"
	"time"

	"perennial/billing/balance"
	"perennial/billing/customer"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/scene"
)

// Grant gives a customer credit in EUR until a time.
func Grant(t *testing.T, s *scene.Scene, c customer.Customer, amount money.Minor, expiresAt time.Time) balance.Grant {
	t.Helper()
	g := balance.Grant{
		ID: id.New(id.CreditGrant, time.Now()), CustomerID: c.ID, TestClockID: c.TestClockID, Currency: "EUR", Amount: amount,
		Left: amount, GivenAt: scene.Start, ExpiresAt: expiresAt,
	}
	s.InTx(t, func(tx *db.Tx) error { return tx.Customers.InsertCreditGrant(t.Context(), s.Env, g) })
	return g
}
