package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

const page = "https://bank.example/3ds"

var asking = payment.Protocol{
	Window: 20 * time.Hour, LookupByKey: true, LookupByRef: true, Cancel: true, ActionExpiry: 24 * time.Hour,
}

// asked is a charge whose payer was asked to confirm it.
func asked(t *testing.T, p payment.Protocol) payment.Transaction {
	t.Helper()
	txn, news := p.AsksPayer(p.Waiting(sentWithToken(), 0, t0), page, t0)
	require.True(t, news)
	return txn
}

func sentWithToken() payment.Transaction {
	return payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Pending, ProviderRef: "pi_1", FirstSentAt: t0, SendNumber: 1,
		Method: payment.Method{Type: "card"}, Action: payment.Action{Token: "TOKEN"},
	}
}

func TestAsksPayer_AnnouncedOnce(t *testing.T) {
	t.Parallel()
	txn := asked(t, asking)
	require.Equal(t, t0.Add(24*time.Hour), txn.Action.ExpiresAt)
	again, news := asking.AsksPayer(txn, page+"?2", t0.Add(time.Hour))
	require.False(t, news)
	require.Equal(t, page+"?2", again.Action.URL, "a later page replaces the first")
	require.Equal(t, txn.Action.ExpiresAt, again.Action.ExpiresAt, "and gives no more time")
	over, news := asking.AsksPayer(again, "", t0.Add(2*time.Hour))
	require.False(t, news)
	require.Equal(t, payment.ConfirmDecided, over.Confirmation(t0.Add(2*time.Hour)))
	require.False(t, asking.Overdue(over, t0.Add(48*time.Hour)), "the payer has confirmed: the provider decides")
}

func TestAsksPayer_Refused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		txn      func(*payment.Transaction)
		protocol payment.Protocol
	}{
		"nobody can be asked":   {func(*payment.Transaction) {}, payment.Protocol{}},
		"sent without a token":  {func(t *payment.Transaction) { t.Action = payment.Action{} }, asking},
		"a refund":              {func(t *payment.Transaction) { t.Type = payment.Refund }, asking},
		"decided":               {func(t *payment.Transaction) { t.Status = payment.Success }, asking},
		"canceled by a command": {func(t *payment.Transaction) { t.CancelRequestedAt = t0 }, asking},
	} {
		before := sentWithToken()
		c.txn(&before)
		after, news := c.protocol.AsksPayer(before, page, t0)
		require.False(t, news, name)
		require.Equal(t, before, after, name)
	}
}

// The payer's time is over: where the provider can cancel, that is the next move; else it is asked once more.
func TestNext_UnconfirmedAction(t *testing.T) {
	t.Parallel()
	txn := asked(t, asking)
	end := txn.Action.ExpiresAt
	require.Equal(t, payment.MoveLookup, asking.Next(txn, false, end.Add(-time.Second)))
	require.Equal(t, payment.MoveCancel, asking.Next(txn, false, end))
	require.Equal(t, payment.ConfirmExpired, txn.Confirmation(end))

	blind := asking
	blind.Cancel = false
	require.Equal(t, payment.MoveLookup, blind.Next(txn, false, end.Add(2*time.Hour)))
	require.False(t, blind.Overdue(txn, end), "the payer may still be on the page")
	require.True(t, blind.Overdue(txn, end.Add(time.Hour)))

	txn.Action.URL, txn.Action.Token = "", "" // erased
	require.False(t, blind.Overdue(txn, end))
	require.True(t, blind.Overdue(txn, end.Add(time.Hour)))
}

// Look-ups are few while the payer is asked, and one falls on the end.
func TestAsksPayer_ChecksEndWithTheAction(t *testing.T) {
	t.Parallel()
	txn, checks := asked(t, asking), 1
	for ; txn.NextCheckAt.Before(txn.Action.ExpiresAt); checks++ {
		now := txn.NextCheckAt
		txn, _ = asking.AsksPayer(asking.Waiting(txn, 0, now), page, now)
	}
	require.Equal(t, txn.Action.ExpiresAt, txn.NextCheckAt)
	require.LessOrEqual(t, checks, 10)
	later := txn.NextCheckAt.Add(time.Minute)
	txn, _ = asking.AsksPayer(asking.Waiting(txn, 0, later), page, later)
	require.True(t, txn.NextCheckAt.After(later), "a cancel that the provider did not take is repeated, with a pause")
}

func TestPayerReturned_AsksAtMostEveryTenSeconds(t *testing.T) {
	t.Parallel()
	txn := asked(t, asking)
	now := t0.Add(time.Hour)
	txn, ask := txn.PayerReturned("", now)
	require.True(t, ask)
	require.Equal(t, now, txn.NextCheckAt)
	_, ask = txn.PayerReturned("", now.Add(9*time.Second))
	require.False(t, ask)
	_, ask = txn.PayerReturned("", now.Add(10*time.Second))
	require.True(t, ask)
	closed, err := txn.Close(payment.Success, now)
	require.NoError(t, err)
	_, ask = closed.PayerReturned("", now.Add(time.Hour))
	require.False(t, ask)
	_, ask = sentWithToken().PayerReturned("", now)
	require.False(t, ask, "nobody was asked")
}

func TestConfirmation_ByStatus(t *testing.T) {
	t.Parallel()
	txn := asked(t, asking)
	now := t0.Add(time.Minute)
	require.Equal(t, payment.ConfirmNow, txn.Confirmation(now))
	closed := func(status payment.Status, reason string) payment.Confirmation {
		t.Helper()
		txn := txn
		txn.FailureReason = reason
		out, err := txn.Close(status, now)
		require.NoError(t, err)
		require.Empty(t, out.Action.URL)
		require.NotEmpty(t, out.Action.Token, "the link still says what happened")
		return out.Confirmation(now)
	}
	require.Equal(t, payment.ConfirmPaid, closed(payment.Success, ""))
	require.Equal(t, payment.ConfirmFailed, closed(payment.Declined, "Your card was declined."))
	require.Equal(t, payment.ConfirmExpired, closed(payment.Failed, payment.Unconfirmed))
	require.Equal(t, payment.ConfirmEnded, closed(payment.Canceled, ""))
	canceling := txn
	canceling.CancelRequestedAt = now
	require.Equal(t, payment.ConfirmEnded, canceling.Confirmation(now))
	require.Equal(t, payment.ConfirmDecided, txn.Park(now).Confirmation(now))
}

func TestClose_KeepsNoTokenThatNobodyGot(t *testing.T) {
	t.Parallel()
	out, err := sentWithToken().Close(payment.Success, t0)
	require.NoError(t, err)
	require.Zero(t, out.Action)
}

func TestEndAction_ClosesTheLink(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Minute)
	txn, ended := asked(t, asking).EndAction(now)
	require.True(t, ended)
	require.Equal(t, payment.MoveCancel, asking.Next(txn, false, now))
	_, ended = txn.EndAction(now)
	require.False(t, ended)
	_, ended = sentWithToken().EndAction(now)
	require.False(t, ended)
}

// A customer who is deleted while asked is not charged any more.
func TestPayerErased_EndsTheAction(t *testing.T) {
	t.Parallel()
	txn := asked(t, asking).PayerErased(t0.Add(time.Minute))
	require.Equal(t, payment.MoveCancel, asking.Next(txn, false, t0.Add(time.Minute)))
}

// A payer who comes back is shown the truth: that the provider is asked, or that the return had no value to ask it
// with.
func TestConfirmationOfReturn(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Hour)
	txn := asked(t, asking)
	returned := back(t, txn, "", now)
	require.Equal(t, payment.ConfirmAsked, returned.ConfirmationOfReturn(false, now))
	require.Equal(t, payment.ConfirmAsked, returned.ConfirmationOfReturn(false, now.Add(9*time.Second)), "a reload")
	end := back(t, txn, "", txn.Action.ExpiresAt)
	require.Equal(t, payment.ConfirmAsked, end.ConfirmationOfReturn(false, txn.Action.ExpiresAt), "at the last moment")
	canceling := returned
	canceling.CancelRequestedAt = now
	require.Equal(t, payment.ConfirmEnded, canceling.ConfirmationOfReturn(false, now))

	txn = asked(t, completing)
	require.Equal(t, payment.ConfirmMissing, txn.ConfirmationOfReturn(true, now), "nothing was brought")
	require.Equal(t, payment.ConfirmDecided, back(t, txn, brought, now).ConfirmationOfReturn(true, now))
	require.Equal(t, payment.ConfirmExpired, txn.ConfirmationOfReturn(true, txn.Action.ExpiresAt), "it is not kept")
}
