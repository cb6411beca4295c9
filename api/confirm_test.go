package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
)

const (
	confirmToken = "4LTZ6E3Y2NQ5WCJD7ROKAHVSXM"
	banksPage    = "https://bank.example/3ds?secret=canary"
)

// asksPayer is a pending charge whose payer was asked to confirm it.
func (b *bench) asksPayer(t *testing.T, change func(*payment.Transaction)) Payment {
	t.Helper()
	b.config.PublicURL = "https://billing.example"
	b.Server = b.newServer(t)
	charge := as[Payment](t, 201, b.charge(t, b.newCustomer(t, b.test).ID))
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		txn, err := tx.Payments.LockTransaction(ctx, b.test.environmentID, charge.ID)
		require.NoError(t, err)
		txn.FirstSentAt = b.clock()
		txn.Action = payment.Action{Token: confirmToken, URL: banksPage, ExpiresAt: b.clock().Add(time.Hour)}
		if change != nil {
			change(&txn)
		}
		return tx.Payments.SaveTransaction(ctx, b.test.environmentID, txn)
	})
	return as[Payment](t, 200, b.ask(t, b.test, "GET", "/api/payments/"+charge.ID, nil))
}

// requireForPayer checks the headers of every answer to a payer's browser.
func requireForPayer(t *testing.T, r response) {
	t.Helper()
	require.Equal(t, "no-referrer", r.Header.Get("Referrer-Policy"))
	require.Equal(t, "no-store", r.Header.Get("Cache-Control"))
	require.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"))
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
}

func TestConfirm_OpenActionLeadsToTheProvider(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	charge := b.asksPayer(t, nil)
	require.True(t, charge.RequiresAction)
	require.Equal(t, "https://billing.example/confirm/"+confirmToken, charge.ConfirmURL)
	require.Equal(t, b.clock().Add(time.Hour).Unix(), charge.ConfirmBy)
	listed := as[httpkit.List[Payment]](t, 200, b.ask(t, b.test, "GET", "/api/payments", nil))
	require.Equal(t, charge.ConfirmURL, listed.Data[0].ConfirmURL)

	r := b.send(t, "GET", "/confirm/"+confirmToken, nil)
	require.Equal(t, http.StatusSeeOther, r.Status)
	require.Equal(t, banksPage, r.Header.Get("Location"))
	require.Empty(t, r.Body)
	requireForPayer(t, r)
	for _, answer := range []string{
		string(b.ask(t, b.test, "GET", "/api/payments/"+charge.ID, nil).Body),
		string(b.ask(t, b.test, "GET", "/api/events", nil).Body),
	} {
		require.NotContains(t, answer, "canary", "only the payer's browser learns the page")
	}
	require.NotContains(t, b.log.String(), confirmToken)
}

func TestConfirm_OtherwiseSaysWhatHappened(t *testing.T) {
	t.Parallel()
	closed := func(status payment.Status, reason string) func(*payment.Transaction) {
		return func(txn *payment.Transaction) {
			txn.FailureReason, txn.FailureCode = reason, "DECLINED"
			var err error
			*txn, err = txn.Close(status, time.Now())
			require.NoError(t, err)
		}
	}
	for name, c := range map[string]struct {
		change func(*payment.Transaction)
		title  string
	}{
		"paid":      {closed(payment.Success, ""), "Payment received"},
		"failed":    {closed(payment.Declined, "Your card was declined."), "Payment failed"},
		"canceled":  {closed(payment.Canceled, ""), "Payment canceled"},
		"too late":  {closed(payment.Failed, payment.Unconfirmed), "This link has expired"},
		"expired":   {func(txn *payment.Transaction) { txn.Action.ExpiresAt = txn.FirstSentAt }, "This link has expired"},
		"undecided": {func(txn *payment.Transaction) { txn.Action.URL = "" }, "Thank you"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			charge := b.asksPayer(t, c.change)
			require.False(t, charge.RequiresAction)
			require.Empty(t, charge.ConfirmURL)
			r := b.send(t, "GET", "/confirm/"+confirmToken, nil)
			require.Equal(t, http.StatusOK, r.Status)
			require.Contains(t, string(r.Body), "<h1>"+c.title+"</h1>")
			requireForPayer(t, r)
		})
	}
}

// The payer's return proves nothing: it has the provider asked, at most every ten seconds.
func TestConfirm_ReturnOnlyAsksTheProvider(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	charge := b.asksPayer(t, nil)
	path := "/confirm/" + confirmToken + "/return?redirect_status=succeeded&payment_intent=pi_forged"
	for range 3 {
		r := b.send(t, "GET", path, nil)
		require.Equal(t, http.StatusOK, r.Status)
		require.Contains(t, string(r.Body), "Checking the payment")
		requireForPayer(t, r)
	}
	require.Equal(t, []contract.Owner{{EnvironmentID: b.test.environmentID, TransactionID: charge.ID}}, b.engine.checks)
	now := as[Payment](t, 200, b.ask(t, b.test, "GET", "/api/payments/"+charge.ID, nil))
	require.Equal(t, charge, now, "nothing is believed")
	require.Equal(t, 1, b.count(t,
		"select count(*) from transactions where next_check_at = action_returned_at and checks = 0"), "should the signal be lost, the reconciler finds it")

	b.succeed(t, charge.ID)
	require.Contains(t, string(b.send(t, "GET", path, nil).Body), "Payment received")
	require.Len(t, b.engine.checks, 1, "what is decided is not asked about")
}

// The values that the provider needs to complete the charge are kept for it, and nothing else; they are not shown to
// anyone else.
func TestConfirm_ReturnKeepsWhatCompletesTheCharge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	charge := b.asksPayer(t, func(txn *payment.Transaction) { txn.Provider = "adyen" })
	path := "/confirm/" + confirmToken + "/return"
	nothing := string(b.send(t, "GET", path, nil).Body)
	require.Contains(t, nothing, "<h1>Payment not confirmed</h1>", "nothing was brought, and nobody asks the bank")
	require.Empty(t, b.engine.checks)
	r := b.send(t, "GET", path+"?redirectResult=X6Xtf%21canary&resultCode=forged", nil)
	require.Equal(t, http.StatusOK, r.Status)
	requireForPayer(t, r)
	require.Equal(t, []contract.Owner{{EnvironmentID: b.test.environmentID, TransactionID: charge.ID}}, b.engine.checks)
	require.Equal(t, 1, b.count(t,
		"select count(*) from transactions where action_brought = 'redirectResult=X6Xtf%21canary'"))
	now := b.ask(t, b.test, "GET", "/api/payments/"+charge.ID, nil)
	require.False(t, as[Payment](t, 200, now).RequiresAction, "the payer has done it")
	for _, seen := range []string{
		string(now.Body), string(r.Body), string(b.send(t, "GET", path, nil).Body), b.log.String(),
		string(b.ask(t, b.test, "GET", "/api/events", nil).Body),
	} {
		require.NotContains(t, seen, "canary")
	}
	long := b.send(t, "GET", path+"?redirectResult="+strings.Repeat("x", 33<<10), nil)
	require.Equal(t, http.StatusOK, long.Status)
	require.Len(t, b.engine.checks, 1, "no provider writes as much")
	require.Contains(t, string(long.Body), "We wait for your bank", "for what was kept before")
}

// An unknown token looks like a malformed one.
func TestConfirm_UnknownLooksLikeMalformed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.asksPayer(t, nil)
	want := b.send(t, "GET", "/confirm/"+"AAAAAAAAAAAAAAAAAAAAAAAAAA", nil)
	require.Equal(t, http.StatusNotFound, want.Status)
	require.Contains(t, string(want.Body), "This link does not exist")
	for i, token := range []string{
		"x", "%00", "%FF%FE", confirmToken[1:], confirmToken + "A", "4ltz6e3y2nq5wcjd7rokahvsxm",
		"txn_01jcz6dyqx4w9s1c2k7v5h8m3n",
	} {
		for _, end := range []string{"", "/return"} {
			r := b.send(t, "GET", "/confirm/"+token+end, nil)
			require.Equal(t, want.Status, r.Status, strconv.Itoa(i))
			require.Equal(t, string(want.Body), string(r.Body), strconv.Itoa(i))
			requireForPayer(t, r)
		}
	}
	require.Equal(t, http.StatusMethodNotAllowed, b.send(t, "POST", "/confirm/"+confirmToken, nil).Status)
}

// A caller that waits for the end of a payment gets the link, which only the payer can open.
func TestCreatePayment_PreferWaitEndsWithTheLink(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	b.engine.onPayment = func(_ context.Context, in contract.PaymentInput) error {
		b.write(t, func(ctx context.Context, tx *db.Tx) error {
			txn, err := tx.Payments.LockTransaction(ctx, b.test.environmentID, in.Ref.ID)
			require.NoError(t, err)
			txn.Action = payment.Action{Token: confirmToken, URL: banksPage, ExpiresAt: b.clock().Add(time.Hour)}
			return tx.Payments.SaveTransaction(ctx, b.test.environmentID, txn)
		})
		return nil
	}
	begun := time.Now()
	charge := as[Payment](t, 201, b.charge(t, cust.ID, "Prefer", "wait=30"))
	require.Equal(t, "pending", charge.Status)
	require.True(t, charge.RequiresAction)
	require.NotEmpty(t, charge.ConfirmURL)
	require.Less(t, time.Since(begun), 20*time.Second)
}
