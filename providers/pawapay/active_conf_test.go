package pawapay

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
	"perennial/providers/wire"
)

// activated is a configuration with one market.
func activated(operator, currency, deposit string) string {
	return `200 {"companyName":"ACME","countries":[{"country":"RWA","prefix":"250","providers":[{"provider":"` + operator +
		`","currencies":[{"currency":"` + currency + `","operationTypes":{"DEPOSIT":{` + deposit + `}}}]}]}]}`
}

const usual = `"authType":"PROVIDER_AUTH","decimalsInAmount":"NONE","minAmount":"100","maxAmount":"2000000",` +
	`"status":"OPERATIONAL"`

func TestCharge_FollowsActiveConfiguration(t *testing.T) {
	t.Parallel()
	accepted := `200 {"status":"ACCEPTED"}`
	change := func(from, to string) string {
		return activated("MTN_MOMO_RWA", "RWF", strings.Replace(usual, from, to, 1))
	}
	for name, c := range map[string]struct {
		conf    string
		outcome providers.Outcome
		fault   string
		reason  string
	}{
		"as usual":     {activated("MTN_MOMO_RWA", "RWF", usual), providers.Pending, "", ""},
		"unreadable":   {"200 <html>", providers.Pending, "", ""},
		"of no shape":  {"200 {}", providers.Pending, "", ""},
		"down":         {"503 ", providers.Pending, "", ""},
		"closed":       {change("OPERATIONAL", "CLOSED"), providers.NotSent, "", "at the moment"},
		"other market": {activated("AIRTEL_RWA", "RWF", usual), providers.NotSent, "", "Ask pawaPay to activate"},
		"too little":   {change(`"100"`, `"5001"`), providers.Failed, "", "at least 5001 RWF and at most 2000000 RWF"},
		"too much":     {change(`"2000000"`, `"4999"`), providers.Failed, "", "at most 4999 RWF"},
		"a list of operations": {strings.NewReplacer(`{"DEPOSIT"`, `[{"PAYOUT":{}},{"DEPOSIT"`, `}}}]}]}]}`,
			`}}]}]}]}]}`).Replace(
			change("OPERATIONAL", "CLOSED")), providers.NotSent, "", "at the moment"},
		"no bounds": {change(`,"minAmount":"100","maxAmount":"2000000"`, ""), providers.Pending, "", ""},
		"code":      {change("PROVIDER_AUTH", "PREAUTH"), "", "payment_method_cannot_renew", ""},
		"link":      {change("PROVIDER_AUTH", "REDIRECT_AUTH"), "", "payment_method_cannot_renew", ""},
	} {
		p, f := answering(t, map[string]string{conf: c.conf, deposit: accepted, read: absent})
		res, err := p.Charge(t.Context(), sampleCharge())
		if c.fault != "" {
			require.Equal(t, c.fault, fault.From(err).Code, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.outcome, res.Outcome, name)
		require.Contains(t, res.FailureReason, c.reason, name)
		if strings.Contains(c.reason, "activate") {
			require.Equal(t, time.Hour, res.RetryAfter, "people have to act")
		}
		require.Equal(t, res.Outcome == providers.Pending, slices.Contains(f.asked, deposit), "sent: %s", name)
	}
}

// The configuration's decimals apply, not those of our table.
func TestCharge_DecimalsOfActiveConfiguration(t *testing.T) {
	t.Parallel()
	in := sampleCharge()
	in.Method.Type, in.Method.PhoneNumber, in.Currency, in.Amount = "mobile_money_mpesa", "254703456789", "KES", 1050
	p, f := answering(t, map[string]string{
		conf:    activated("MPESA_KEN", "KES", strings.NewReplacer("NONE", "TWO_PLACES", `"100"`, `"1"`).Replace(usual)),
		deposit: `200 {"status":"ACCEPTED"}`,
	})
	_, err := p.Charge(t.Context(), in)
	require.NoError(t, err)
	require.Contains(t, f.bodies[0], `"amount":"10.5"`)
}

func TestActiveConfiguration_LivesFiveMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		up, reads := atomic.Bool{}, atomic.Int32{}
		up.Store(true)
		p := at(t, "http://pawapay.test")
		p.client.Transport = transport(func(r *http.Request) *http.Response {
			answer := `{"status":"ACCEPTED"}`
			if r.Method == http.MethodGet { // a charge out of bounds was never sent
				answer = `{"status":"NOT_FOUND"}`
			}
			if strings.HasPrefix(r.URL.Path, "/v2/active-conf") {
				reads.Add(1)
				_, answer, _ = strings.Cut(activated("MTN_MOMO_RWA", "RWF", usual), " ")
				if !up.Load() {
					return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}
				}
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(answer))}
		})
		charge := func(amount money.Minor) providers.Outcome {
			in := sampleCharge()
			in.Amount = amount
			res, err := p.Charge(t.Context(), in)
			require.NoError(t, err)
			return res.Outcome
		}
		for range 3 {
			require.Equal(t, providers.Pending, charge(5000))
		}
		require.EqualValues(t, 1, reads.Load())
		time.Sleep(wire.CopyLife + time.Second)
		require.Equal(t, providers.Pending, charge(5000))
		require.EqualValues(t, 2, reads.Load())

		up.Store(false) // the last copy stays in use, and is asked for again soon but not at every charge
		time.Sleep(wire.CopyLife + time.Second)
		for range 3 {
			require.Equal(t, providers.Failed, charge(50), "below the minimum that is still known")
		}
		require.EqualValues(t, 3, reads.Load())
		time.Sleep(wire.CopyRetry + time.Second)
		charge(5000)
		require.EqualValues(t, 4, reads.Load())
	})
}

type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }
