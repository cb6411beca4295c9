package adyen

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// property is a field in CheckoutService-v71: its JSON type, its greatest length, its possible values.
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
		"channel":                  {kind: "string", values: []string{"iOS", "Android", "Web"}},
		"authenticationData": {kind: "object", fields: schema{
			"attemptAuthentication": {kind: "string", values: []string{"always", "never"}},
			"threeDSRequestData": {kind: "object", fields: schema{
				"nativeThreeDS": {kind: "string", values: []string{"preferred", "disabled"}},
			}},
		}},
		"browserInfo": {kind: "object", fields: schema{
			"acceptHeader":   {kind: "string", required: true},
			"colorDepth":     {kind: "integer", required: true},
			"javaEnabled":    {kind: "boolean", required: true},
			"language":       {kind: "string", required: true},
			"screenHeight":   {kind: "integer", required: true},
			"screenWidth":    {kind: "integer", required: true},
			"timeZoneOffset": {kind: "integer", required: true},
			"userAgent":      {kind: "string", required: true},
		}},
		"metadata": {kind: "object", fields: schema{"description": {kind: "string", max: 80}}},
	}
	detailsSchema = schema{
		"details": {kind: "object", required: true, fields: schema{"redirectResult": {kind: "string", max: 20000}}},
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
		case bool:
			require.Equal(t, "boolean", p.kind, name)
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
	adapter.giveBackPart(t.Context(), in.TransactionID, in.Key, providers.Result{Ref: "PSP1"})
	got := requests()
	require.Len(t, got, 5)
	for i, s := range []schema{paymentSchema, refundSchema, cancelSchema, standaloneCancelSchema, cancelSchema} {
		s.check(t, got[i].path, got[i].body)
		require.LessOrEqual(t, len(got[i].header.Get("Idempotency-Key")), 64)
	}
}
