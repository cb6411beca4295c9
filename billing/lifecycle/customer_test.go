package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// alone returns a customer with a payment method, without a subscription.
func alone() (lifecycle.State, lifecycle.Moment) {
	who := customer.Customer{ID: "cust_1", PaymentMethod: "card"}
	who.PaymentDetails.PaymentMethodToken = "tok_1"
	return lifecycle.State{Customer: who, Currency: "EUR", Provider: &lifecycle.Provider{}},
		lifecycle.Moment{Now: created, Real: created.Add(time.Hour), IDs: &ids{world: "a"}}
}

func announced(c lifecycle.Changes) (names []string) {
	for _, e := range c.Events {
		names = append(names, string(e.Type()))
	}
	return names
}

func TestChargeCustomer(t *testing.T) {
	t.Parallel()
	ask := lifecycle.OwnCharge{Amount: 700, Currency: "EUR", Description: "A book"}
	s, at := alone()
	c, err := lifecycle.ChargeCustomer(s, ask, at)
	require.NoError(t, err)
	txn := c.Made(c.Attempt)
	require.Equal(t, payment.Pending, txn.Status)
	require.Equal(t, [3]time.Time{created, created, created}, [3]time.Time{txn.CreatedAt, txn.DueAt, txn.SendDueAt})
	require.Equal(t, []string{txn.ID}, c.Starts, "it has a workflow of its own")

	s.ClockNow = created.AddDate(1, 0, 0)
	c, err = lifecycle.ChargeCustomer(s, ask, at)
	require.NoError(t, err)
	require.Equal(t, s.ClockNow, c.Made(c.Attempt).CreatedAt)
	require.Equal(t, at.Real, c.Made(c.Attempt).SendDueAt, "it is sent in real time")

	s.Provider = nil
	c, err = lifecycle.ChargeCustomer(s, ask, at)
	require.NoError(t, err)
	require.Equal(t, payment.Failed, c.Made(c.Attempt).Status)
	require.Empty(t, c.Starts)

	ask.Limits = []money.Limits{{Minimum: 701}}
	_, err = lifecycle.ChargeCustomer(s, ask, at)
	require.Equal(t, "amount_not_chargeable", fault.From(err).Code)
}

func TestAdjustBalance(t *testing.T) {
	t.Parallel()
	s, at := alone()
	s.Balance = 100
	after, c, err := lifecycle.AdjustBalance(s, 30, lifecycle.Adjustment{ID: "cre_1", Amount: -250, Note: "why"}, at)
	require.NoError(t, err)
	require.EqualValues(t, -150, after.Balance)
	require.Equal(t, []lifecycle.Adjustment{{ID: "cre_1", Amount: -250, Note: "why", Reason: invoice.CreditAdjusted, After: -120}}, c.Adjustments)
	require.Equal(t, event.BalanceAdjusted{
		ID: "cre_1", CustomerID: "cust_1", Amount: -250, Currency: "EUR", Balance: -120,
	}, c.Events[0].Data)

	_, _, err = lifecycle.AdjustBalance(s, 0, lifecycle.Adjustment{}, at)
	require.Equal(t, "adjustment_zero", fault.From(err).Code)
}

func TestGrantCredit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amount, balance, granted money.Minor
		usable                   int
		code                     string
	}{
		"the first":           {amount: 500},
		"the last":            {amount: 500, usable: balance.MaxUsable - 1},
		"one too many":        {amount: 500, usable: balance.MaxUsable, code: balance.ErrTooMany.Code},
		"nothing":             {amount: 0, code: "amount_too_small"},
		"all that there is":   {amount: 500, balance: money.MaxMinor - 600, granted: 100},
		"more than there is":  {amount: 500, balance: money.MaxMinor - 600, granted: 101, code: "amount_too_large"},
		"beside what is owed": {amount: money.MaxMinor, balance: -1},
	} {
		s, at := alone()
		s.Balance = c.balance
		changes, err := lifecycle.GrantCredit(s, c.granted, c.usable, balance.Grant{ID: "cg_1", Amount: c.amount}, at)
		if c.code != "" {
			require.Equal(t, c.code, fault.From(err).Code, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, []balance.Grant{{
			ID: "cg_1", CustomerID: "cust_1", Amount: c.amount, Left: c.amount, GivenAt: created,
		}}, changes.NewGrants, name)
		require.Len(t, changes.Events, 1, name)
	}
}

func TestVoidGrant(t *testing.T) {
	t.Parallel()
	s, at := alone()
	g := balance.Grant{ID: "cg_1", Amount: 500, Left: 200}
	c, err := lifecycle.VoidGrant(s, g, at)
	require.NoError(t, err)
	ended := c.EndedGrants[0]
	require.Equal(t, [3]any{created, money.Minor(200), invoice.CreditVoided},
		[3]any{ended.VoidedAt, ended.Taken, ended.Reason})
	require.Zero(t, ended.Left)
	require.Len(t, c.Events, 1)
	_, err = lifecycle.VoidGrant(s, ended.Grant, at)
	require.ErrorIs(t, err, balance.ErrVoided)
}

func TestEndGrant(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		left            money.Minor
		expires, voided time.Time
		erased          bool
		reason          invoice.CreditReason
		said            bool
	}{
		"expired":         {left: 200, expires: created, reason: invoice.CreditExpired, said: true},
		"not yet":         {left: 200, expires: created.Add(1)},
		"nothing left":    {expires: created},
		"of an erased":    {left: 200, expires: created, erased: true, reason: invoice.CreditExpired},
		"void meanwhile":  {left: 200, voided: created, reason: invoice.CreditVoided},
		"void and erased": {left: 200, voided: created, erased: true, reason: invoice.CreditVoided},
	} {
		s, at := alone()
		if c.erased {
			s.Customer.ErasedAt = created
		}
		changes := lifecycle.EndGrant(s, balance.Grant{
			ID: "cg_1", Amount: 500, Left: c.left, ExpiresAt: c.expires, VoidedAt: c.voided,
		}, at)
		require.Equal(t, c.said, len(changes.Events) > 0, name)
		if c.reason == "" {
			require.Empty(t, changes.EndedGrants, name)
			continue
		}
		require.Equal(t, [2]any{c.left, c.reason}, [2]any{changes.EndedGrants[0].Taken, changes.EndedGrants[0].Reason}, name)
		require.Equal(t, created, changes.At, name)
	}
}

// The draft of a manual invoice, from its creation to its removal.
func TestManualDraft(t *testing.T) {
	t.Parallel()
	s, at := alone()
	amount := money.Minor(900)
	content := invoicing.Content{Lines: []invoicing.Line{{Description: "Work", Amount: &amount}}}
	s, c, err := lifecycle.CreateDraft(s, content, at)
	require.NoError(t, err)
	require.Equal(t, []invoice.Invoice{*s.Draft}, c.Invoices.Of(lifecycle.DraftCreated))
	require.Equal(t, []string{"invoice.created"}, announced(c))

	before, memo := s, "Thank you"
	s, c, err = lifecycle.ReviseDraft(s, invoicing.Change{Memo: &memo}, at)
	require.NoError(t, err)
	require.Equal(t, memo, s.Draft.Memo)
	require.Empty(t, before.Draft.Memo, "the State before stays as it was")
	require.Equal(t, []invoice.Invoice{*s.Draft}, c.Invoices.Of(lifecycle.DraftUpdated))
	require.Equal(t, []string{"invoice.updated"}, announced(c))

	before = s
	s, c, err = lifecycle.DeleteDraft(s, at)
	require.NoError(t, err)
	require.Nil(t, s.Draft)
	require.Equal(t, []invoice.Invoice{*before.Draft}, c.Invoices.Of(lifecycle.DraftDeleted))
	require.Equal(t, []string{"invoice.deleted"}, announced(c))

	_, _, err = lifecycle.DeleteDraft(s, at)
	require.ErrorIs(t, err, invoicing.ErrNotDraft)
	_, _, err = lifecycle.ReviseDraft(s, invoicing.Change{}, at)
	require.ErrorIs(t, err, invoicing.ErrNotDraft)
}
