package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/account"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit"
	"perennial/providers/simulator/adyensim"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/flutterwavesim"
	"perennial/providers/simulator/pawapaysim"
	"perennial/providers/simulator/simtest"
	"perennial/providers/simulator/stripesim"
	"perennial/service/gateway"
)

// signer is the provider's side of its callbacks: the message about a captured charge, and its signature.
type signer struct {
	dialect     core.Dialect
	credentials gateway.Credentials // in addition to the webhook secret
	body        string              // %s: our transaction's id
}

// secretOf is the webhook secret of account n. Adyen's are hexadecimal.
func secretOf(n int) string {
	return hex.EncodeToString(fmt.Appendf(nil, "webhook secret of account %d", n))
}

func signers() map[string]signer {
	return map[string]signer{
		"stripe": {
			stripesim.New(stripesim.Config{}), gateway.Credentials{"secretKey": "sk_test_good"},
			`{"id":"evt_1","type":"payment_intent.succeeded","livemode":false,` +
				`"data":{"object":{"id":"pi_1","object":"payment_intent","metadata":{"txn_id":"%s"}}}}`,
		},
		"adyen": {
			adyensim.New(adyensim.Config{}), gateway.Credentials{"apiKey": "AQE_good", "merchantAccount": "Acme"},
			`{"live":"false","notificationItems":[{"NotificationRequestItem":{"pspReference":"PSP1",` +
				`"merchantAccountCode":"Acme","merchantReference":"%s-c0123456789ab","amount":{"value":500,"currency":"USD"},` +
				`"eventCode":"AUTHORISATION","success":"true"}}]}`,
		},
		"pawapay": {
			pawapaysim.New(pawapaysim.Config{}), gateway.Credentials{"apiToken": "token_good_0123456789"},
			`{"depositId":"6f6c0f0e-5d7b-4f2e-9a3e-0c1d2e3f4a5b","status":"COMPLETED","metadata":{"txnId":"%s"}}`,
		},
		"flutterwave": {
			flutterwavesim.New(flutterwavesim.Config{}),
			gateway.Credentials{"clientId": "client", "clientSecret": "secret_good"},
			`{"webhook_id":"wbk_1","type":"charge.completed","data":{"id":"chg_1","status":"succeeded","meta":{"txn_id":"%s"}}}`,
		},
	}
}

// message is one callback on its way.
type message struct {
	method, path, host string
	header             http.Header
	body               []byte
}

func (m message) clone() message {
	m.header, m.body = m.header.Clone(), bytes.Clone(m.body)
	return m
}

// door is a bench with two accounts at every provider, each with a webhook secret of its own.
type door struct {
	*bench
	signers  map[string]signer
	accounts map[string][2]string
	txn      string
}

func newDoor(t *testing.T) *door {
	b := newBench(t)
	d := &door{bench: b, signers: signers(), accounts: map[string][2]string{}}
	keys := simtest.Fresh(t, d.signers["pawapay"].dialect).URL // where pawaPay's public keys are read
	b.deps.ProviderOf = gateway.New(gateway.Config{Vault: b.keys, BaseURLs: map[string]string{"pawapay": keys}}).Provider
	b.Server = b.newServer(t)
	for name, s := range d.signers {
		var both [2]string
		for n := range both {
			both[n] = id.New(id.ProviderConfig, b.clock())
			config := db.ProviderConfig{
				ID: both[n], Provider: name, Account: account.Account{Priority: n}, AppID: b.test.appID,
				Keyset: b.keysets[b.test.appID],
			}
			sealed, err := gateway.Seal(b.keys, config, 1,
				s.credentials.With(gateway.Credentials{gateway.FieldWebhookSecret: secretOf(n)}))
			require.NoError(t, err)
			config.Credentials = []db.SealedCredentials{sealed}
			b.write(t, func(ctx context.Context, tx *db.Tx) error {
				return tx.Payments.InsertProviderConfig(ctx, b.test.environmentID, config)
			})
		}
		d.accounts[name] = both
	}
	d.txn = as[Payment](t, 201, b.charge(t, b.newCustomer(t, b.test).ID)).ID
	return d
}

// genuine is the message that account n of a provider gets, signed with the secret of account signedBy.
func (d *door) genuine(t *testing.T, name string, n, signedBy int) message {
	t.Helper()
	return d.signed(name, n, signedBy, fmt.Appendf(nil, d.signers[name].body, d.txn))
}

// signed is a message with any body.
func (d *door) signed(name string, n, signedBy int, body []byte) message {
	m := message{
		method: http.MethodPost, host: "billing.example.com", path: "/callbacks/" + name + "/" + d.accounts[name][n],
	}
	signed := d.signers[name].dialect.Sign(core.Outgoing{
		URL:  &url.URL{Scheme: "https", Host: m.host, Path: m.path},
		Body: body, Secret: secretOf(signedBy), At: d.clock(),
	})
	m.header, m.body = signed.Header, []byte(unsigned.Replace(string(signed.Body)))
	return m
}

// unsigned removes the fields of Adyen's items that are not signed and decide nothing.
var unsigned = strings.NewReplacer(`"eventDate":"",`, "", `"paymentMethod":"",`, "", `"reason":"",`, "")

func (d *door) deliver(t *testing.T, m message) response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), m.method, m.path, bytes.NewReader(m.body))
	r.Host = m.host
	maps.Copy(r.Header, m.header)
	return d.serve(r)
}

// whole are the tampers with a message as it is.
func (d *door) whole(t *testing.T, name string) map[string]message {
	t.Helper()
	own := d.genuine(t, name, 0, 0)
	out := map[string]message{}
	if name != "pawapay" { // it signs for all its merchants with one key, and the address tells them apart
		out["to another account, by this one's secret"] = d.genuine(t, name, 1, 0)
		out["to this account, by another one's secret"] = d.genuine(t, name, 0, 1)
	}
	with := func(what string, change func(m *message)) {
		m := own.clone()
		change(&m)
		out[what] = m
	}
	with("replayed to another account", func(m *message) { m.path = "/callbacks/" + name + "/" + d.accounts[name][1] })
	with("without a body", func(m *message) { m.body = nil })
	with("one byte short", func(m *message) { m.body = m.body[:len(m.body)-1] })
	for field := range own.header {
		with("without "+field, func(m *message) { m.header.Del(field) })
	}
	for other, accounts := range d.accounts {
		if other == name {
			continue
		}
		with("to an account of "+other, func(m *message) { m.path = "/callbacks/" + other + "/" + accounts[0] })
		with("as "+other, func(m *message) { m.path = "/callbacks/" + other + "/" + d.accounts[name][0] })
		if len(own.header) > 0 { // Adyen signs in the body
			with("signed as "+other, func(m *message) { m.header = d.genuine(t, other, 0, 0).header })
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		with("by "+method, func(m *message) { m.method = method })
	}
	return out
}

// flipped is the message with one bit changed: of the body, or of a header that signs or is signed. The bit that makes
// a capital of a letter stays, since names in JSON are read in either case, and the last characters of a signature do,
// since in Base64 they hold bits without a meaning.
func flipped(own message, random *rand.Rand) (message, string) {
	bit := byte(1) << random.IntN(5)
	m := own.clone()
	fields := slices.Sorted(maps.Keys(own.header))
	if len(fields) > 0 && random.IntN(2) == 0 {
		field := fields[random.IntN(len(fields))]
		value := []byte(own.header.Get(field))
		at := random.IntN(len(value) - 5)
		value[at] ^= bit
		m.header.Set(field, string(value))
		return m, fmt.Sprintf("byte %d of %s: %q", at, field, value)
	}
	at := random.IntN(len(own.body))
	if at == bytes.Index(own.body, []byte(`="}`))-1 { // the last character of Adyen's signature
		at--
	}
	m.body[at] ^= bit
	return m, fmt.Sprintf("byte %d of the body: %q", at, m.body)
}

// A thousand tampered callbacks of every provider arrive: none is accepted, and none leaves a trace. The callbacks that
// they were made from are accepted.
func TestCallback_TamperedIsRefused(t *testing.T) {
	t.Parallel()
	const each = 250
	seed := testkit.Seed(t)
	d := newDoor(t)
	for n, name := range slices.Sorted(maps.Keys(d.signers)) {
		random := rand.New(rand.NewPCG(seed, uint64(n))) //nolint:gosec // a test's seed
		refuse := func(what string, m message) {
			got := d.deliver(t, m)
			require.GreaterOrEqual(t, got.Status, 400, "%s, %s", name, what)
			require.Less(t, got.Status, 500, "%s, %s: %s", name, what, got.Body)
		}
		whole := d.whole(t, name)
		for what, m := range whole {
			refuse(what, m)
		}
		own := d.genuine(t, name, 0, 0)
		for range each - len(whole) {
			m, what := flipped(own, random)
			refuse(what, m)
		}
	}
	require.Zero(t, d.count(t, "select count(*) from provider_callbacks"), "nothing is stored, as evidence or otherwise")
	require.Empty(t, d.engine.checks, "nobody is told")

	for name := range d.signers {
		require.Equal(t, 200, d.deliver(t, d.genuine(t, name, 0, 0)).Status, name)
		require.Equal(t, 1, d.count(t, `select count(*) from provider_callbacks
			where provider_config_id = $1 and transaction_id = $2`, d.accounts[name][0], d.txn), name)
	}
}
