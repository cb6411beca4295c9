package flutterwave

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/paymethod"
	"perennial/providers"
)

func mobile(operator string) providers.Method {
	return providers.Method{Type: providers.MobileMoney + operator, PhoneNumber: "+233241234567"}
}

// The operator must be on Flutterwave's list of the country, which is read once. Where it cannot be read, any will do.
func TestSupports_ListOfTheCountry(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	f := against(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		expect(t, "/mobile-networks?country=GH", r.URL.String())
		_, _ = io.WriteString(w, `{"status":"success","data":[{"network":"MTN"},{"network":"VODAFONE"},{"network":"MTN"}]}`)
	})
	for range 2 {
		got := f.Supports(t.Context(), mobile("mtn"))
		require.True(t, got.Accepted)
		require.Equal(t, paymethod.RenewalPrompt, got.Renewal)
		require.Equal(t, []money.Currency{"GHS"}, got.Currencies)
		got = f.Supports(t.Context(), mobile("none"))
		require.False(t, got.Accepted)
		require.Equal(t, []string{"mobile_money_mtn", "mobile_money_vodafone"}, got.Known)
	}
	require.True(t, f.Supports(t.Context(), providers.Method{Type: "card", PaymentMethodToken: "pmd_1"}).Accepted)
	require.EqualValues(t, 1, asked.Load())

	for _, c := range []struct {
		status int
		body   string
	}{{503, ""}, {200, `{"status":"success","data":{}}`}, {200, `{"status":"success","data":[]}`}} {
		require.True(t, answering(t, c.status, c.body).Supports(t.Context(), mobile("none")).Accepted, c)
	}
}

func TestSupports_WaveCannotRenew(t *testing.T) {
	t.Parallel()
	got := Factory{}.Supports(providers.Method{Type: "mobile_money_wave", PhoneNumber: "+221773456789"})
	require.True(t, got.Accepted)
	require.Equal(t, paymethod.RenewalImpossible, got.Renewal)
	require.NotEmpty(t, got.Reason)
}
