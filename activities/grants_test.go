package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/customer"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/scene"
)

// grant gives a customer credit in EUR until a time.
func grant(t *testing.T, s *scene.Scene, c customer.Customer, amount money.Minor, expiresAt time.Time) balance.Grant {
	t.Helper()
	g := balance.Grant{
		ID: id.New(id.CreditGrant, time.Now()), CustomerID: c.ID, TestClockID: c.TestClockID, Currency: "EUR", Amount: amount,
		Left: amount, GivenAt: scene.Start, ExpiresAt: expiresAt,
	}
	s.InTx(t, func(tx *db.Tx) error { return tx.InsertCreditGrant(t.Context(), s.Env, g) })
	return g
}

const expiries = "select count(*) from events where type = 'credit_grant.expired' and object_id = $1"

// What may name a customer on a grant is erased, also where there is no invoice.
func TestErase_Grants(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	c := s.Customer(t, "")
	s.InTx(t, func(tx *db.Tx) error {
		return tx.InsertCreditGrant(t.Context(), s.Env, balance.Grant{
			ID: id.New(id.CreditGrant, time.Now()), CustomerID: c.ID, Currency: "EUR", Amount: 5, Name: "canary",
			Metadata: metadata.Pairs{"note": "canary"}, GivenAt: scene.Start,
		})
	})
	eraseAll(t, s, deleteCustomer(t, s, c.ID), 0)
	require.Equal(t, 1, counted(t, s, "select count(*) from credit_grants where name is null and metadata::text = '{}'"))
}

// What is left of a grant is taken away by one pass, once, and not while a boundary from before its expiry is late.
func TestReconcile_EndsGrants(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	idle, late := s.Customer(t, ""), s.Customer(t, "")
	s.Subscribe(t, late, s.Plan(t, scene.Monthly(1000))) // it begins when its workflow does
	ended := grant(t, s, idle, 500, scene.Start.Add(time.Hour))
	kept := grant(t, s, idle, 300, scene.Start.Add(3*time.Hour))
	waits := grant(t, s, late, 700, scene.Start.Add(time.Hour))
	s.Clock.Set(scene.Start.Add(2 * time.Hour))
	for range 2 {
		w.pass(t, s)
		require.Equal(t, 1, counted(t, s, expiries, ended.ID))
		require.Zero(t, counted(t, s, expiries, kept.ID)+counted(t, s, expiries, waits.ID))
	}
	require.Equal(t, 1, counted(t, s, "select count(*) from credit_entries where reason = 'expired' and amount = -500"))
	require.Equal(t, 300, counted(t, s, "select granted::int from credit_balances where customer_id = $1", idle.ID))
	s.RequireSound(t)
}

// On a test clock a grant pays for the periods that begin before its expiry, and the clock stops there to take the rest away.
func TestStepClock_EndsGrants(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	c := w.Customer(t, w.ref.ID)
	w.SubscribeAt(t, c, w.Plan(t, scene.Monthly(1000)), scene.Start)
	g := grant(t, w.Scene, c, 5000, scene.Start.AddDate(0, 0, 40))
	require.NoError(t, w.begin(scene.Start.AddDate(0, 0, 70)))
	w.steps()
	require.Equal(t, 2000, counted(t, w.Scene, "select sum(credit_applied)::int from invoices"))
	require.Equal(t, 3, counted(t, w.Scene, "select count(*) from invoices"))
	require.Equal(t, 1, counted(t, w.Scene, expiries, g.ID))
	var at time.Time
	require.NoError(t, w.Pool.QueryRow(t.Context(),
		"select created_at from credit_entries where reason = 'expired' and amount = -3000").Scan(&at))
	require.True(t, at.Equal(g.ExpiresAt), "%s", at)
	w.RequireSound(t)
}
