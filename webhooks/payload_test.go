package webhooks_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/webhooks"
)

func message(of event.Type, data string) webhooks.Message {
	return webhooks.Message{ID: "evt_1", Type: of, Timestamp: 1763640000, Data: json.RawMessage(data)}
}

// The specification's two shapes, byte by byte.
func TestBody_Shapes(t *testing.T) {
	t.Parallel()
	payment := `{"id": "txn_1", "amount": 9007199254740993, "currency": "XAF", "customerId": "cust_1", "subscriptionId": "sub_1", "invoiceId": "in_1"}`
	invoice := `{"id": "in_1", "object": {"id": "in_1", "object": "invoice", "status": "paid", "amount_due": 1900, "currency": "USD"},
		"customerId": "cust_1", "subscriptionId": "sub_1"}`
	for _, c := range []struct {
		shape event.Shape
		of    event.Type
		data  string
		want  string
	}{
		{event.ShapeA, event.TypePaymentSuccess, payment,
			`{"event":"payment.success","data":{"amount":9007199254740993,"currency":"XAF","customerId":"cust_1","id":"txn_1",` +
				`"invoiceId":"in_1","subscriptionId":"sub_1"},"timestamp":1763640000}`},
		{event.ShapeB, event.TypePaymentSuccess, payment,
			`{"id":"evt_1","object":"event","type":"payment.success","created":1763640000,"data":{"object":{` +
				`"amount":9007199254740993,"currency":"XAF","customerId":"cust_1","id":"txn_1","invoiceId":"in_1","object":"payment",` +
				`"subscriptionId":"sub_1"}}}`},
		{event.ShapeA, event.TypeInvoicePaid, invoice,
			`{"event":"invoice.paid","data":{"customerId":"cust_1","id":"in_1","object":{"amount_due":1900,"currency":"USD",` +
				`"id":"in_1","object":"invoice","status":"paid"},"subscriptionId":"sub_1"},"timestamp":1763640000}`},
		{event.ShapeB, event.TypeInvoicePaid, invoice,
			`{"id":"evt_1","object":"event","type":"invoice.paid","created":1763640000,"data":{"object":{` +
				`"amount_due":1900,"currency":"USD","customerId":"cust_1","id":"in_1","object":"invoice","status":"paid",` +
				`"subscriptionId":"sub_1"}}}`},
	} {
		got, err := webhooks.Body(c.shape, message(c.of, c.data))
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
	}
}

// PostgreSQL may store JSON with other spaces and in another order than the program wrote it.
func TestBody_SameBytesForSameData(t *testing.T) {
	t.Parallel()
	for _, shape := range []event.Shape{event.ShapeA, event.ShapeB} {
		first, err := webhooks.Body(shape, message("x.y", `{"b":[{"d":1.50,"c":"é < & \u2028"}],"a":null}`))
		require.NoError(t, err)
		second, err := webhooks.Body(shape, message("x.y",
			` { "a" : null, "b" : [ {"c":"\u00e9 \u003c \u0026 \u2028","d":1.50} ] } `))
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
		require.Contains(t, string(first), `é < & \u2028`)
	}
}

// Each type of the catalogue has a payload of both shapes; shape A's has the id that receivers deduplicate on.
func TestBody_EveryType(t *testing.T) {
	t.Parallel()
	for _, data := range event.Catalogue() {
		raw, err := json.Marshal(data)
		require.NoError(t, err)
		for _, shape := range []event.Shape{event.ShapeA, event.ShapeB} {
			body, err := webhooks.Body(shape, message(data.Type(), string(raw)))
			require.NoError(t, err, data.Type())
			var payload struct {
				Data struct {
					ID     *string
					Object any
				}
			}
			require.NoError(t, json.Unmarshal(body, &payload))
			if shape == event.ShapeA {
				require.NotNil(t, payload.Data.ID, "%s has data.id", data.Type())
			} else {
				require.IsType(t, map[string]any{}, payload.Data.Object, "%s has data.object", data.Type())
			}
		}
	}
}

func TestBody_Sequence(t *testing.T) {
	t.Parallel()
	m := message(event.TypeSubscriptionPastDue, `{"id":"sub_1","failedPaymentAttempts":4}`)
	m.Sequence = 17
	a, err := webhooks.Body(event.ShapeA, m)
	require.NoError(t, err)
	require.JSONEq(t,
		`{"event":"subscription.past_due","data":{"id":"sub_1","failedPaymentAttempts":4,"sequence":17},"timestamp":1763640000}`, string(a))
	b, err := webhooks.Body(event.ShapeB, m)
	require.NoError(t, err)
	require.Contains(t, string(b), `"object":"subscription","sequence":17`)
}

func TestBody_Refuses(t *testing.T) {
	t.Parallel()
	_, err := webhooks.Body("C", message("x.y", `{}`))
	require.ErrorIs(t, err, webhooks.ErrUnknownShape)
	for _, data := range []string{``, `null`, `[]`, `"x"`, `{`} {
		_, err := webhooks.Body(event.ShapeA, message("x.y", data))
		require.Error(t, err, data)
	}
}
