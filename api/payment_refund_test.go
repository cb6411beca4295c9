package api

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/money"
	"perennial/db"
)

func TestRefundPayment_NeverMoreThanCaptured(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	charge := as[Payment](t, 201, b.charge(t, sub.CustomerID))
	path := "/api/payments/" + charge.ID
	problem(t, 409, "charge_not_captured", "", b.ask(t, b.test, "POST", path+"/refund", nil))
	b.succeed(t, charge.ID)

	part := b.ask(t, b.test, "POST", path+"/refund", `{"amount":200}`, "Idempotency-Key", "k")
	refund := as[Payment](t, 201, part)
	require.Equal(t, []any{"refund", "pending", int64(200), charge.ID},
		[]any{refund.Type, refund.Status, refund.Amount, refund.ChargeID})
	require.Equal(t, refund.ID, as[Payment](t, 201, b.ask(t, b.test, "POST", path+"/refund", `{"amount":200}`,
		"Idempotency-Key", "k")).ID, "a repeat refunds nothing more")
	tooMuch := b.ask(t, b.test, "POST", path+"/refund", `{"amount":301}`)
	problem(t, 409, "refund_exceeds_charge", "", tooMuch)
	require.Contains(t, string(tooMuch.Body), "At most 300 minor units")
	require.EqualValues(t, 300, as[Payment](t, 201, b.ask(t, b.test, "POST", path+"/refund", nil)).Amount, "the rest")
	problem(t, 409, "refund_exceeds_charge", "", b.ask(t, b.test, "POST", path+"/refund", `{}`))
	problem(t, 409, "not_a_charge", "", b.ask(t, b.test, "POST", "/api/payments/"+refund.ID+"/refund", nil))
	now := as[Payment](t, 200, b.ask(t, b.test, "GET", path, nil))
	require.Equal(t, []any{"success", int64(500)}, []any{now.Status, now.AmountRefunded})
}

// However many refunds of one customer come at once, they never take all connections to the database.
func TestRefundPayment_CrowdIsTurnedAway(t *testing.T) {
	t.Parallel()
	const parallel, let = 30, 8
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	charge := as[Payment](t, 201, b.charge(t, sub.CustomerID))
	b.succeed(t, charge.ID)
	release := b.hold(t, "select 1 from customers where id = $1 for update", sub.CustomerID)
	answers := make(chan response, parallel)
	for range parallel {
		r := b.request(t, "POST", "/api/payments/"+charge.ID+"/refund", `{"amount":10}`,
			"Authorization", "Bearer "+b.test.key)
		go func() { answers <- b.serve(r) }()
	}
	for range parallel - let {
		problem(t, 429, "too_many_commands", "", <-answers)
	}
	release()
	for range let {
		as[Payment](t, 201, <-answers)
	}
}

func TestCancelPayment_OnlyWhilePending(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	charge := as[Payment](t, 201, b.charge(t, sub.CustomerID))
	path := "/api/payments/" + charge.ID + "/cancel"
	asked := as[Payment](t, 200, b.ask(t, b.test, "POST", path, nil))
	require.Equal(t, "pending", asked.Status)
	require.NotZero(t, asked.CancelRequested)
	require.Equal(t, 200, b.ask(t, b.test, "POST", path, nil).Status, "asked again")
	b.succeed(t, charge.ID)
	problem(t, 409, "payment_final", "", b.ask(t, b.test, "POST", path, nil))
}

func TestListPayments_ByAccountAndTime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	charge := as[Payment](t, 201, b.charge(t, sub.CustomerID))
	b.succeed(t, charge.ID)
	count := func(query string) int {
		return len(as[httpkit.List[Payment]](t, 200, b.ask(t, b.test, "GET", "/api/payments?"+query, nil)).Data)
	}
	at := time.Unix(charge.CreatedAt, 0).Unix()
	require.Equal(t, 1, count(fmt.Sprintf("from=%d&to=%d", at, at+1)))
	require.Zero(t, count(fmt.Sprintf("to=%d", at)))
	require.Zero(t, count(fmt.Sprintf("from=%d", at+1)))
	require.Equal(t, 1, count("providerConfigId="+b.test.providerID))
	require.Zero(t, count("providerConfigId="+b.live.providerID))
	problem(t, 422, "out_of_range", "to", b.ask(t, b.test, "GET", "/api/payments?to=0", nil)) // not: any time
	problem(t, 422, "time_span_empty", "to", b.ask(t, b.test, "GET", "/api/payments?from=9&to=9", nil))
}

// withLimits has all accounts take amounts of one kind only.
func (b *bench) withLimits(t *testing.T, limits money.Limits) {
	t.Helper()
	store, err := db.Open(t.Context(), db.Config{
		URL: b.pool.Config().ConnString(), MaxConns: 4, Clock: b.clock,
		Limits: func(string, money.Currency) money.Limits { return limits },
	})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	b.deps.Store = store
	b.Server = b.newServer(t)
}

// An amount that the provider can never give back or charge is refused, or becomes credit, before anything is promised.
func TestRefundPayment_WhatTheProviderCannotExpress(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, invoiceID, _ := b.paidInvoice(t) // of 1900
	customer := b.newCustomer(t, b.test)
	b.withLimits(t, money.Limits{Minimum: 50, Granularity: 10})
	pay := func(amount int) response {
		return b.ask(t, b.test, "POST", "/api/payments", fmt.Sprintf(`{"customerId":%q,"amount":%d,"currency":"USD"}`,
			customer.ID, amount))
	}
	for _, amount := range []int{3333, 40, 1} {
		problem(t, 422, "amount_not_chargeable", "amount", pay(amount))
	}
	charge := as[Payment](t, 201, pay(3330))
	b.succeed(t, charge.ID)
	refund := func(body string) response {
		return b.ask(t, b.test, "POST", "/api/payments/"+charge.ID+"/refund", body)
	}
	problem(t, 422, "amount_not_representable", "amount", refund(`{"amount":333}`))
	problem(t, 422, "amount_not_representable", "amount", refund(`{"amount":5}`))
	require.EqualValues(t, 30, as[Payment](t, 201, refund(`{"amount":30}`)).Amount)
	require.EqualValues(t, 3300, as[Payment](t, 201, refund(`{}`)).Amount)

	note := func(body string) response {
		return b.ask(t, b.test, "POST", "/api/invoices/"+invoiceID+"/credit-notes", body)
	}
	problem(t, 422, "amount_not_representable", "refundAmount",
		note(`{"reason":"other","amount":333,"to":"refund","refundAmount":222}`))
	made := as[CreditNote](t, 201, note(`{"reason":"other","amount":333,"to":"refund"}`))
	require.Equal(t, [2]int64{330, 3}, [2]int64{made.RefundAmount, made.BalanceCredited})
	made = as[CreditNote](t, 201, note(`{"reason":"other","amount":8,"to":"refund"}`))
	require.Equal(t, [2]int64{0, 8}, [2]int64{made.RefundAmount, made.BalanceCredited})
}
