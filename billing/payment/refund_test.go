package payment_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/collection"
	"perennial/billing/money"
	"perennial/billing/payment"
)

func captured(amount money.Minor) payment.Transaction {
	return payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Success, CustomerID: "cust_1", SubscriptionID: "sub_1",
		InvoiceID: "in_1",
		Amount:    amount, Currency: "EUR", Provider: "stripe", ProviderConfigID: "ppc_1", ProviderRef: "pi_1", Revision: 3,
	}
}

func TestNewRefund_ReservesAmount(t *testing.T) {
	t.Parallel()
	wall := t0.AddDate(1, 0, 0) // the customer lives on a test clock
	charge, refund, err := captured(1000).Captured().Refund("txn_2", 400, t0, wall)

	require.NoError(t, err)
	require.Equal(t, money.Minor(400), charge.AmountRefunded)
	require.Equal(t, money.Minor(600), charge.Captured().Refundable())
	require.Equal(t, payment.Transaction{
		ID: "txn_2", Type: payment.Refund, Status: payment.Pending, CustomerID: "cust_1", SubscriptionID: "sub_1",
		InvoiceID: "in_1",
		Amount:    400, Currency: "EUR", Description: "Refund of txn_1", Trigger: collection.Automatic, Provider: "stripe",
		ProviderConfigID: "ppc_1",
		ChargeID:         "txn_1", NextCheckAt: wall, SendDueAt: wall, DueAt: t0, CreatedAt: t0, Revision: 1,
	}, refund)
	charge.AmountRefunded = 0
	require.Equal(t, captured(1000), charge, "nothing else of the charge changes")
}

func TestNewRefund_Refuses(t *testing.T) {
	t.Parallel()
	with := func(change func(*payment.Transaction)) payment.Transaction {
		c := captured(1000)
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		charge payment.Transaction
		amount money.Minor
		code   string
	}{
		"more than captured": {captured(1000), 1001, "refund_exceeds_charge"},
		"more than is left":  {with(func(t *payment.Transaction) { t.AmountRefunded = 700 }), 301, "refund_exceeds_charge"},
		"twice":              {with(func(t *payment.Transaction) { t.AmountRefunded = 1000 }), 1, "refund_exceeds_charge"},
		"the largest amount": {captured(1000), money.MaxMinor, "refund_exceeds_charge"},
		"nothing":            {captured(1000), 0, "refund_not_positive"},
		"less than nothing":  {captured(1000), -1, "refund_not_positive"},
		"of a pending charge": {with(func(t *payment.Transaction) {
			t.Status = payment.Pending
		}), 1, "refund_exceeds_charge"},
		"of a declined charge": {with(func(t *payment.Transaction) {
			t.Status = payment.Declined
		}), 1, "refund_exceeds_charge"},
		"of a refund": {with(func(t *payment.Transaction) {
			t.Type, t.Status = payment.Refund, payment.Refunded
		}), 1, "refund_exceeds_charge"},
	} {
		same, refund, err := c.charge.Captured().Refund("txn_2", c.amount, t0, t0)
		require.ErrorContains(t, err, c.code, name)
		require.Equal(t, c.charge, same, name)
		require.Zero(t, refund, name)
	}
}

// Whatever is given back, in parts, again after failures: never more than was captured, and a failed refund does not
// change the refundable amount.
func TestNewRefund_NeverExceedsCharge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		charge := captured(money.Minor(rapid.Int64Range(1, 1000).Draw(t, "captured")))
		var open []money.Minor
		var held money.Minor
		t.Repeat(map[string]func(*rapid.T){
			"refund": func(t *rapid.T) {
				amount := money.Minor(rapid.Int64Range(1, 600).Draw(t, "amount"))
				after, refund, err := charge.Captured().Refund("txn_2", amount, t0, t0)
				require.Equal(t, amount <= charge.Amount-held, err == nil)
				if err == nil {
					open, held = append(open, refund.Amount), held+amount
				}
				charge = after
			},
			"fail": func(*rapid.T) {
				if n := len(open) - 1; n >= 0 {
					charge, held, open = charge.Captured().FailRefund(open[n]), held-open[n], open[:n]
					charge.RefundOwed = 0 // given up
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, held, charge.AmountRefunded)
				require.Equal(t, charge.Amount-held, charge.Captured().Refundable())
				require.LessOrEqual(t, charge.AmountRefunded, charge.Amount)
			},
		})
	})
}
