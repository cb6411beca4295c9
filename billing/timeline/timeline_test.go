package timeline_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/foresight"
	"perennial/billing/subscription"
	"perennial/billing/timeline"
)

// Every type of event of a subscription has words.
func TestTell_KnowsEveryTypeOfASubscription(t *testing.T) {
	t.Parallel()
	told := 0
	for _, data := range event.Catalogue() {
		switch data.Type().Group() {
		case "subscription", "invoice", "payment", "dispute":
		default:
			continue
		}
		raw, err := json.Marshal(data)
		require.NoError(t, err)
		text := timeline.Tell(data.Type(), raw).Text
		require.NotEqual(t, string(data.Type()), text, "it has no words")
		require.True(t, strings.HasSuffix(text, "."), text)
		told++
	}
	require.Greater(t, told, 20)
}

func TestTell(t *testing.T) {
	t.Parallel()
	for of, tc := range map[event.Type]struct {
		data string
		want timeline.Told
	}{
		event.TypePaymentFailed: {
			`{"id":"txn_1","amount":1900,"currency":"USD","invoiceId":"in_1","failureCode":"INSUFFICIENT_FUNDS"}`,
			timeline.Told{
				Text: "A payment of 19.00 USD failed (INSUFFICIENT_FUNDS).", InvoiceID: "in_1", PaymentID: "txn_1",
			},
		},
		event.TypeInvoicePaid: {
			`{"id":"in_1","object":{"amount_due":5000,"currency":"XAF"}}`,
			timeline.Told{Text: "The invoice for 5000 XAF is paid.", InvoiceID: "in_1"},
		},
		event.TypeSubscriptionCanceled: {
			`{"cancelReason":"too expensive"}`, timeline.Told{Text: "The subscription ended (too expensive)."},
		},
		event.TypeSubscriptionPastDue: {
			`{"failedPaymentAttempts":1,"collectionPaused":true}`,
			timeline.Told{Text: "The subscription is past due after 1 failed attempt. Collection is paused."},
		},
		"subscription.of_a_newer_build": {`{}`, timeline.Told{Text: "subscription.of_a_newer_build"}},
	} {
		require.Equal(t, tc.want, timeline.Tell(of, json.RawMessage(tc.data)))
	}
}

func TestForetell(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]foresight.Expected{
		"The next period begins. 19.00 USD is charged.": {Action: subscription.ActionRenewal, Amount: 1900},
		"The next period begins. The plan changes to plan_2. The quantity changes to 5. 95.00 USD is charged.": {
			Action: subscription.ActionRenewal, PlanID: "plan_2", Quantity: 5, Amount: 9500,
		},
		"Retry 2 of 3 of the open invoice. 19.00 USD is charged.": {
			Action: subscription.ActionPaymentRetry, Retry: 2, Retries: 3, Amount: 1900,
		},
		"The trial ends, and the subscription is paused: there is no payment method.": {
			Action: subscription.ActionTrialEnd, Status: subscription.Paused,
		},
		"The subscription ends, as was scheduled.": {Action: subscription.ActionCancel},
	} {
		require.Equal(t, want, timeline.Foretell(e, "USD"))
	}
	for _, action := range []subscription.Action{
		subscription.ActionBegin, subscription.ActionTrialNotice, subscription.ActionTrialEnd,
		subscription.ActionRenewalReminder, subscription.ActionPastDueEnd, subscription.ActionResume,
	} {
		require.NotEqual(t, string(action), timeline.Foretell(foresight.Expected{Action: action}, "USD"))
	}
}
