package adyen

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// property is what CheckoutService-v71 says of a field: its JSON type, its greatest length, the values it may have.
type property struct {
	kind     string
	required bool
	max      int
	values   []string
	fields   schema
}

type schema map[string]property

var amountSchema = schema{
	"currency": {kind: "string", required: true, max: 3},
	"value":    {kind: "integer", required: true},
}

// The parts of Adyen's published schema (CheckoutService-v71) that our requests use.
var (
	paymentSchema = schema{
		"amount":            {kind: "object", required: true, fields: amountSchema},
		"merchantAccount":   {kind: "string", required: true},
		"reference":         {kind: "string", required: true, max: 80},
		"returnUrl":         {kind: "string", required: true, max: 8000},
		"captureDelayHours": {kind: "integer"},
		"paymentMethod": {kind: "object", required: true, fields: schema{
			"type":                  {kind: "string", values: []string{"scheme", "networkToken", "card", "bcmc", "giftcard"}},
			"storedPaymentMethodId": {kind: "string", max: 64},
		}},
		"shopperReference":         {kind: "string", max: 256},
		"shopperInteraction":       {kind: "string", values: []string{"Ecommerce", "ContAuth", "Moto", "POS"}},
		"recurringProcessingModel": {kind: "string", values: []string{"CardOnFile", "Subscription", "UnscheduledCardOnFile"}},
		"metadata":                 {kind: "object", fields: schema{"description": {kind: "string", max: 80}}},
	}
	refundSchema = schema{
		"amount":          {kind: "object", required: true, fields: amountSchema},
		"merchantAccount": {kind: "string", required: true},
		"reference":       {kind: "string", max: 80},
	}
	cancelSchema = schema{
		"merchantAccount": {kind: "string", required: true},
		"reference":       {kind: "string", max: 80},
	}
	standaloneCancelSchema = schema{
		"merchantAccount":  {kind: "string", required: true},
		"paymentReference": {kind: "string", required: true},
		"reference":        {kind: "string", max: 80},
	}
)

func (s schema) check(t *testing.T, where string, body map[string]any) {
	t.Helper()
	for name, p := range s {
		require.False(t, p.required && body[name] == nil, "%s lacks %s", where, name)
	}
	for name, value := range body {
		p, known := s[name]
		require.True(t, known, "%s has the unknown field %s", where, name)
		switch value := value.(type) {
		case string:
			require.Equal(t, "string", p.kind, name)
			require.True(t, p.max == 0 || utf8.RuneCountInString(value) <= p.max, "%s.%s is too long", where, name)
			require.True(t, p.values == nil || slices.Contains(p.values, value), "%s.%s", where, name)
		case float64:
			require.Equal(t, "integer", p.kind, name)
			require.Zero(t, value-float64(int64(value)))
		case map[string]any:
			require.Equal(t, "object", p.kind, name)
			p.fields.check(t, name, value)
		default:
			require.Failf(t, "unexpected type", "%s.%s: %T", where, name, value)
		}
	}
}

func TestRequests_FitAdyensSchema(t *testing.T) {
	t.Parallel()
	adapter, requests := recording(t, paid)
	in := sampleCharge()
	in.Description = "Rechnung für Größen über alles, und noch viel mehr Text, der nicht in achtzig Zeichen passt, nie"
	_, _ = adapter.Charge(t.Context(), in)
	_, _ = adapter.Refund(t.Context(), sampleRefund())
	for _, ref := range []string{"PSP1", ""} {
		_, _ = adapter.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Key: "k", Ref: ref})
	}
	adapter.giveBackPart(t.Context(), in, providers.Result{Ref: "PSP1"})
	got := requests()
	require.Len(t, got, 5)
	for i, s := range []schema{paymentSchema, refundSchema, cancelSchema, standaloneCancelSchema, cancelSchema} {
		s.check(t, got[i].path, got[i].body)
		require.LessOrEqual(t, len(got[i].header.Get("Idempotency-Key")), 64)
	}
}
