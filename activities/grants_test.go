package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/metadata"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/life"
	"perennial/test/scene"
)

const expiries = "select count(*) from events where type = 'credit_grant.expired' and object_id = $1"

// An erasure removes texts of a grant that may name a customer, also where there is no invoice.
func TestErase_Grants(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	c := s.Customer(t, "")
	s.InTx(t, func(tx *db.Tx) error {
		return tx.Customers.InsertCreditGrant(t.Context(), s.Env, balance.Grant{
			ID: id.New(id.CreditGrant, time.Now()), CustomerID: c.ID, Currency: "EUR", Amount: 5, Name: "canary",
			Metadata: metadata.Pairs{"note": "canary"}, GivenAt: scene.Start,
		})
	})
	life.EraseAll(t, s, life.DeleteCustomer(t, s, c.ID), 0)
	require.Equal(
		t, 1, life.Count(t, s, "select count(*) from credit_grants where name is null and metadata::text = '{}'"),
	)
}

// One pass removes the rest of a grant once, but not while a boundary from before its expiry is late.
func TestReconcile_EndsGrants(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	idle, late := s.Customer(t, ""), s.Customer(t, "")
	s.Subscribe(t, late, s.Plan(t, scene.Monthly(1000))) // it begins when its workflow does
	ended := life.Grant(t, s, idle, 500, scene.Start.Add(time.Hour))
	kept := life.Grant(t, s, idle, 300, scene.Start.Add(3*time.Hour))
	waits := life.Grant(t, s, late, 700, scene.Start.Add(time.Hour))
	s.Clock.Set(scene.Start.Add(2 * time.Hour))
	for range 2 {
		w.Pass(t, s)
		require.Equal(t, 1, life.Count(t, s, expiries, ended.ID))
		require.Zero(t, life.Count(t, s, expiries, kept.ID)+life.Count(t, s, expiries, waits.ID))
	}
	require.Equal(t, 1, life.Count(t, s, "select count(*) from credit_entries where reason = 'expired' and amount = -500"))
	require.Equal(t, 300, life.Count(t, s, "select granted::int from credit_balances where customer_id = $1", idle.ID))
	s.RequireSound(t)
}

// On a test clock a grant pays for the periods that begin before its expiry, and the clock stops there to take the rest
// away.
func TestStepClock_EndsGrants(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	c := w.Customer(t, w.Ref.ID)
	w.SubscribeAt(t, c, w.Plan(t, scene.Monthly(1000)), scene.Start)
	g := life.Grant(t, w.Scene, c, 5000, scene.Start.AddDate(0, 0, 40))
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 0, 70)))
	w.Steps()
	require.Equal(t, 2000, life.Count(t, w.Scene, "select sum(credit_applied)::int from invoices"))
	require.Equal(t, 3, life.Count(t, w.Scene, "select count(*) from invoices"))
	require.Equal(t, 1, life.Count(t, w.Scene, expiries, g.ID))
	var at time.Time
	require.NoError(t, w.Pool.QueryRow(t.Context(),
		"select created_at from credit_entries where reason = 'expired' and amount = -3000").Scan(&at))
	require.True(t, at.Equal(g.ExpiresAt), "%s", at)
	w.RequireSound(t)
}
