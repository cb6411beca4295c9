package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
)

// textsOf returns the positions at which the strings of a JSON value end that are values, not names.
func textsOf(body []byte) (ends []int) {
	var inside bool
	for i, c := range body {
		if c == '"' {
			if inside && body[i+1] != ':' {
				ends = append(ends, i)
			}
			inside = !inside
		}
	}
	return ends
}

// A provider repeats a callback that is answered with a server error, for days. Whatever bytes a signed one has, it is
// stored, or refused as malformed.
func TestCallback_SignedWithAnyByte(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // a test's seed
	deliver := func(name, what string, body []byte) int {
		got := d.deliver(t, d.signed(name, 0, 0, body))
		require.Less(t, got.Status, 500, "%s, %s: %s", name, what, got.Body)
		return got.Status
	}
	always := []string{
		`\u0000`, `\ud800`, `\udc00\ud800`, `\u202e`, `\u200b`, "\x00", "\xff", "\xed\xa0\x80", strings.Repeat("x", 10_000),
	}
	for _, name := range slices.Sorted(maps.Keys(d.signers)) {
		own := fmt.Appendf(nil, d.signers[name].body, d.txn)
		ends := textsOf(own)
		with := func(at int, text string) []byte { return slices.Concat(own[:at], []byte(text), own[at:]) }
		for _, text := range always {
			for _, at := range ends {
				deliver(name, fmt.Sprintf("%.20q at %d", text, at), with(at, text))
			}
		}
		for b := range 256 {
			for _, text := range []string{string([]byte{byte(b)}), fmt.Sprintf(`\u%04x`, b), fmt.Sprintf(`\ud8%02x`, b)} {
				at := ends[random.IntN(len(ends))]
				deliver(name, fmt.Sprintf("%q at %d", text, at), with(at, text))
			}
			deliver(name, "anywhere", append(bytes.Clone(own[:random.IntN(len(own))]), byte(b)))
		}
	}
}

// A message is stored with its contents, though one of its texts has NUL.
func TestCallback_NULIsStored(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	for name, said := range map[string]string{
		"stripe": `{"id":"evt_1","type":"x\u0000","livemode":false,"data":{"object":{` +
			`"object":"payment_intent","id":"pi_1\u0000","metadata":{"txn_id":"%s"}}}}`,
		"adyen": `{"live":"false","notificationItems":[{"NotificationRequestItem":{"pspReference":"PSP1\u0000",` +
			`"merchantAccountCode":"Acme","merchantReference":"%s-c0123456789ab","amount":{"value":500,"currency":"USD"},` +
			`"eventCode":"AUTHORISATION","success":"true"}}]}`,
		"pawapay": `{"depositId":"6f6c0f0e-5d7b-4f2e-9a3e-0c1d2e3f4a5b\u0000","status":"COMPLETED",` +
			`"metadata":{"txnId":"%s"}}`,
		"flutterwave": `{"webhook_id":"wbk_1\u0000","type":"charge.completed",` +
			`"data":{"id":"chg_1","status":"succeeded","meta":{"txn_id":"%s"}}}`,
	} {
		body := fmt.Appendf(nil, said, d.txn)
		require.True(t, json.Valid(body), name)
		for range 2 { // the provider repeats it
			require.Equal(t, 200, d.deliver(t, d.signed(name, 0, 0, body)).Status, name)
		}
		require.Equal(t, 1, d.count(t, `select count(*) from provider_callbacks
			where provider_config_id = $1 and transaction_id = $2`, d.accounts[name][0], d.txn), name)
	}
}
