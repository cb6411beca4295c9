package stripesim

import (
	"testing"

	"github.com/stretchr/testify/require"
	stripe "github.com/stripe/stripe-go/v85"
)

// Stripe's own SDK, which is independent of us, must find a Stripe here. If only our adapter and our simulator agreed,
// they could share one misreading of the documentation.
func TestSDK_Official(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	client := stripe.NewClient("sk_test_1", stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: stripe.String(r.URL), MaxNetworkRetries: stripe.Int64(0), EnableTelemetry: stripe.Bool(false),
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})))
	ctx := t.Context()
	create := func(token string) (*stripe.PaymentIntent, error) {
		p := &stripe.PaymentIntentCreateParams{
			Amount: stripe.Int64(1999), Currency: stripe.String("usd"), Confirm: stripe.Bool(true),
			OffSession: stripe.Bool(true), PaymentMethod: stripe.String(token),
			PaymentMethodTypes: []*string{stripe.String("card")}, Customer: stripe.String("cus_1"),
		}
		p.AddMetadata("txn_id", "txn_1")
		return client.V1PaymentIntents.Create(ctx, p)
	}
	paid, err := create("pm_card_visa")
	require.NoError(t, err)
	require.Equal(t, stripe.PaymentIntentStatusSucceeded, paid.Status)
	require.EqualValues(t, 1999, paid.AmountReceived)

	_, err = create("pm_card_visa_chargeDeclinedInsufficientFunds")
	var declined *stripe.Error
	require.ErrorAs(t, err, &declined)
	require.Equal(t, stripe.ErrorTypeCard, declined.Type)
	require.Equal(t, stripe.ErrorCodeCardDeclined, declined.Code)
	require.Equal(t, stripe.DeclineCodeInsufficientFunds, declined.DeclineCode)
	require.Equal(t, 402, declined.HTTPStatusCode)
	require.Equal(t, stripe.PaymentIntentStatusRequiresPaymentMethod, declined.PaymentIntent.Status)

	found := 0
	for pi, err := range client.V1PaymentIntents.Search(ctx,
		&stripe.PaymentIntentSearchParams{SearchParams: stripe.SearchParams{Query: "metadata['txn_id']:'txn_1'"}}).All(ctx) {
		require.NoError(t, err)
		require.Equal(t, "txn_1", pi.Metadata["txn_id"])
		found++
	}
	require.Equal(t, 2, found)

	refund, err := client.V1Refunds.Create(ctx,
		&stripe.RefundCreateParams{PaymentIntent: stripe.String(paid.ID), Amount: stripe.Int64(500)})
	require.NoError(t, err)
	require.Equal(t, stripe.RefundStatusSucceeded, refund.Status)
	again, err := client.V1Refunds.Retrieve(ctx, refund.ID, nil)
	require.NoError(t, err)
	require.Equal(t, paid.ID, again.PaymentIntent.ID)

	balance, err := client.V1Balance.Retrieve(ctx, nil)
	require.NoError(t, err)
	require.False(t, balance.Livemode)
	_, err = client.V1PaymentIntents.Cancel(ctx, paid.ID, nil)
	require.ErrorContains(t, err, "payment_intent_unexpected_state")
	_, err = client.V1PaymentIntents.Retrieve(ctx, "pi_unknown", nil)
	require.ErrorContains(t, err, "resource_missing")
}
