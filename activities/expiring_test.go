package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/life"
	"perennial/test/scene"
)

const announcements = "select count(*) from events where type = 'customer.payment_method_expiring' and object_id = $1"

// card adds a card to a customer that is good until the end of a month.
func card(t *testing.T, s *scene.Scene, c customer.Customer, until time.Time) customer.Method {
	t.Helper()
	m := customer.Method{
		ID: id.New(id.PaymentMethod, time.Now()), CustomerID: c.ID, Type: "card", CreatedAt: s.Clock.Now(), Revision: 1,
		Details: customer.PaymentDetails{PaymentMethodToken: "pm_expires"},
		Card:    customer.Card{ExpiryYear: until.Year(), ExpiryMonth: int(until.Month())},
	}
	s.InTx(t, func(tx *db.Tx) error { return tx.Customers.InsertPaymentMethod(t.Context(), s.Env, m) })
	return m
}

// An expiry is announced once, thirty days ahead, however many passes there are and workers are killed; and again for
// another expiry, but not for the same.
func TestReconcile_AnnouncesExpiries(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	c, other := s.Customer(t, ""), s.Customer(t, "")
	until := scene.Start.AddDate(0, 3, 0)
	m := card(t, s, c, until)
	card(t, s, other, until.AddDate(0, 1, 0))
	s.Clock.Set(m.Card.NoticeAt().Add(-time.Second))
	w.Pass(t, s)
	require.Zero(t, life.Count(t, s, announcements, c.ID))
	s.Clock.Set(m.Card.NoticeAt())
	for range 3 {
		w.Pass(t, s)
		require.Equal(t, 1, life.Count(t, s, announcements, c.ID))
	}
	require.Zero(t, life.Count(t, s, announcements, other.ID))

	change := func(to customer.Card) {
		t.Helper()
		s.InTx(t, func(tx *db.Tx) error {
			all, err := tx.Customers.AllPaymentMethods(t.Context(), s.Env, c.ID)
			require.NoError(t, err)
			changed := all[len(all)-1]
			changed.Card = to
			return tx.Customers.SavePaymentMethod(t.Context(), s.Env, changed)
		})
	}
	same := m.Card
	same.Brand = "visa"
	change(same)
	w.Pass(t, s)
	require.Equal(t, 1, life.Count(t, s, announcements, c.ID), "the same expiry")
	same.ExpiryYear--
	change(same)
	w.Pass(t, s)
	require.Equal(t, 2, life.Count(t, s, announcements, c.ID), "another one")

	s.InTx(t, func(tx *db.Tx) error { return tx.Customers.RemovePaymentMethod(t.Context(), s.Env, m.ID) })
	require.Empty(t, expiring(t, s, until.AddDate(0, 0, 1)), "a removed one expires in silence")
}

func expiring(t *testing.T, s *scene.Scene, by time.Time) (ids []string) {
	t.Helper()
	found, err := s.Store.Customers.ExpiringMethods(context.WithoutCancel(t.Context()), by, 10)
	require.NoError(t, err)
	for _, m := range found {
		ids = append(ids, m.ID)
	}
	return ids
}

// A test clock stops where an expiry is announced, by the clock's time.
func TestStepClock_AnnouncesExpiries(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	c := w.Customer(t, w.Ref.ID)
	m := card(t, w.Scene, c, scene.Start.AddDate(0, 3, 0))
	require.Empty(t, expiring(t, w.Scene, scene.Start.AddDate(1, 0, 0)), "not in real time")
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 6, 0)))
	w.Steps()
	require.Equal(t, 1, life.Count(t, w.Scene, announcements, c.ID))
	var at time.Time
	require.NoError(t, w.Pool.QueryRow(t.Context(),
		"select to_timestamp(occurred_at) from events where type = 'customer.payment_method_expiring'").Scan(&at))
	require.Equal(t, m.Card.NoticeAt(), at.UTC())
}
