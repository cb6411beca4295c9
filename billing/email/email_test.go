package email_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/billing/fault"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Each kind follows from one type of event, and from no other.
func TestOf_EachKindHasItsEvent(t *testing.T) {
	t.Parallel()
	from := map[email.Kind]event.Type{}
	for _, data := range event.Catalogue() {
		if n, is := email.Of(data); is {
			require.NotContains(t, from, n.Kind)
			from[n.Kind] = data.Type()
		}
	}
	require.Equal(t, map[email.Kind]event.Type{
		email.InvoiceIssued: event.TypeInvoiceFinalized, email.Receipt: event.TypePaymentSuccess,
		email.PaymentFailed: event.TypePaymentFailed, email.ConfirmationNeeded: event.TypePaymentActionRequired,
		email.TrialWillEnd: event.TypeSubscriptionTrialWillEnd, email.RenewalReminder: event.TypeSubscriptionRenewalReminder,
		email.CardWillExpire: event.TypeMethodExpiring, email.SubscriptionCanceled: event.TypeSubscriptionCanceled,
		email.CreditNote: event.TypeCreditNoteCreated, email.Refund: event.TypePaymentRefunded,
	}, from)
	require.Len(t, email.Kinds(), len(from))
}

func TestOf_TellsOccurrencesApart(t *testing.T) {
	t.Parallel()
	reminder := event.SubscriptionRenewalReminder{Subscription: event.OfSubscription("sub_1", "cust_1"), RenewsAt: 5}
	first, _ := email.Of(reminder)
	require.Equal(t, email.Notice{Kind: email.RenewalReminder, ObjectID: "sub_1", Occurrence: "5", CustomerID: "cust_1"}, first)
	reminder.RenewsAt = 6
	second, _ := email.Of(reminder)
	require.NotEqual(t, first, second)
	card, _ := email.Of(event.MethodExpiring{ID: "cust_1", PaymentMethodID: "pm_1", Expiry: "2028-08"})
	require.Equal(t, email.Notice{
		Kind: email.CardWillExpire, ObjectID: "pm_1", Occurrence: "2028-08", CustomerID: "cust_1",
	}, card)
}

// A dunning policy says which failed attempts remind the customer.
func TestOf_NoReminder(t *testing.T) {
	t.Parallel()
	for _, silent := range []bool{false, true} {
		_, is := email.Of(event.PaymentFailed{Payment: event.Payment{ID: "txn_1"}, AttemptNumber: 2, NoReminder: silent})
		require.Equal(t, !silent, is)
	}
}

// What a refund does is no news of a charge.
func TestOf_RefundsAreNoReceipts(t *testing.T) {
	t.Parallel()
	refund := event.Payment{ID: "txn_2", ChargeID: "txn_1"}
	for _, data := range []event.Data{event.PaymentSuccess{Payment: refund}, event.PaymentFailed{Payment: refund}} {
		_, is := email.Of(data)
		require.False(t, is, data.Type())
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	p := email.Policy{Gaps: []time.Duration{time.Minute, time.Hour}}
	pending := func(d time.Duration) email.Next { return email.Next{Status: email.Pending, At: at.Add(d)} }
	given := func(r email.Reason) email.Next { return email.Next{Status: email.Failed, Reason: r} }
	for name, c := range map[string]struct {
		f        email.Failure
		attempts int
		age      time.Duration
		want     email.Next
	}{
		"first":             {email.Failure{}, 1, time.Second, pending(time.Minute)},
		"second":            {email.Failure{}, 2, time.Hour, pending(time.Hour)},
		"last":              {email.Failure{}, 3, time.Hour, given(email.AttemptsUsed)},
		"permanent":         {email.Failure{Permanent: true}, 1, time.Second, given(email.ServerRefused)},
		"malformed":         {email.Failure{Malformed: true, Permanent: true}, 1, time.Second, given(email.AddressMalformed)},
		"server away":       {email.Failure{OfServer: true}, 0, time.Hour, pending(time.Minute)},
		"away for too long": {email.Failure{OfServer: true}, 0, email.MaxAge, given(email.AttemptsUsed)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, p.After(c.f, c.attempts, at.Add(-c.age), at))
		})
	}
}

// However a server fails, a mail ends.
func TestAfter_EveryMailEnds(t *testing.T) {
	t.Parallel()
	for _, p := range []email.Policy{email.LivePolicy, email.TestPolicy} {
		for _, ofServer := range []bool{false, true} {
			now, attempts := at, 0
			for n := 0; ; n++ {
				if !ofServer {
					attempts++
				}
				next := p.After(email.Failure{OfServer: ofServer}, attempts, at, now)
				if next.Status != email.Pending {
					break
				}
				require.True(t, next.At.After(now))
				require.LessOrEqual(t, next.At.Sub(at), email.MaxAge)
				require.Less(t, n, 100_000)
				now = next.At
			}
		}
	}
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	a := email.Allowed{"ada@example.com", "@example.org"}
	require.NoError(t, a.Check())
	for address, want := range map[string]bool{
		"ada@example.com": true, "Ada@Example.com": true, "eve@example.com": false, "eve@example.org": true,
		"eve@EXAMPLE.org": true, "eve@sub.example.org": false, "eve@notexample.org": false, "@example.org": true, "": false,
		"x@example.org@evil.net": false,
	} {
		require.Equal(t, want, a.Contains(address), address)
	}
	require.False(t, email.Allowed(nil).Contains("ada@example.com"))
	for _, bad := range []string{"", "@", "@x", "example.com", "a@b", "*", "a@b.c, d@e.f", "@exa mple.com"} {
		require.Equal(t, "allowed_recipient_malformed", fault.From(email.Allowed{bad}.Check()).Code, bad)
	}
}
