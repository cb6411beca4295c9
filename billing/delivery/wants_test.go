package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/billing/event"
)

func TestWants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		typ     event.Type
		wants   bool
	}{
		{"*", "payment.success", true},
		{"payment.success", "payment.success", true},
		{"payment.success", "payment.success_late", false},
		{"payment.*", "payment.success", true},
		{"payment.*", "payments.success", false},
		{"payment.*", "payment", false},
		{"webhook_endpoint.*", "webhook_endpoint.disabled", true},
		{"pay*", "payment.success", false},
	} {
		require.Equal(t, c.wants, delivery.Wants([]string{"invoice.paid", c.pattern}, c.typ), "%s and %s", c.pattern, c.typ)
	}
	require.False(t, delivery.Wants(nil, "payment.success"))
}
