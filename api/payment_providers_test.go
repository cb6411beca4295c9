package api

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/internal/id"
	"perennial/providers/all"
)

// stripe is a provider that takes every key that ends in "good", and hangs up on "gone".
func (b *bench) stripe(t testing.TB) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Authorization")
		switch {
		case strings.HasSuffix(key, "gone"):
			panic(http.ErrAbortHandler)
		case !strings.HasSuffix(key, "good"):
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error"}}`))
		case strings.Contains(key, "sk_live_"):
			_, _ = w.Write([]byte(`{"object":"balance","livemode":true}`))
		default:
			_, _ = w.Write([]byte(`{"object":"balance","livemode":false}`))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (b *bench) addProvider(t *testing.T, form map[string]any) PaymentProvider {
	t.Helper()
	form["provider"] = "stripe"
	return as[PaymentProvider](t, 201, b.ask(t, b.test, "POST", "/api/payment-providers", form))
}

func TestCreateProvider_TestsConnectionAndNeverShowsCredentials(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.PublicURL = "https://billing.example.com"
	b.Server = b.newServer(t)
	form := map[string]any{
		"provider": "stripe", "environment": "test", "isPrimary": true,
		"publicKey": "pk_test_canary", "secretKey": "sk_test_canary_good", "webhookSecret": "whsec_canary",
	}
	answer := b.ask(t, b.test, "POST", "/api/payment-providers", form, "Idempotency-Key", "k")
	made := as[PaymentProvider](t, 201, answer)
	require.Equal(t, "active", made.ConnectionStatus)
	require.NotZero(t, made.LastTestedAt)
	require.True(t, made.IsPrimary)
	require.Equal(t, "test", made.Environment)
	require.Equal(t, "https://billing.example.com/callbacks/stripe/"+made.ID, made.CallbackURL)
	require.Contains(t, made.CallbackTypes, "payment_intent.succeeded")
	require.Equal(t, []string{"publicKey", "secretKey", "webhookSecret"}, made.CredentialNames)

	again := b.ask(t, b.test, "POST", "/v1/payment-providers", form, "Idempotency-Key", "k")
	require.Equal(t, string(answer.Body), string(again.Body))
	read := b.ask(t, b.test, "GET", "/api/payment-providers/"+made.ID, nil)
	require.Equal(t, made, as[PaymentProvider](t, 200, read))
	for _, body := range [][]byte{answer.Body, again.Body, read.Body, []byte(b.log.String())} {
		require.NotContains(t, string(body), "canary")
	}
	require.Zero(t, b.rowsWith(t, "canary"))

	list := as[httpkit.List[PaymentProvider]](t, 200, b.ask(t, b.test, "GET", "/api/payment-providers", nil))
	require.Len(t, list.Data, 2)
	require.Equal(t, made.ID, list.Data[0].ID, "newest first")
	require.False(t, list.Data[1].IsPrimary, "the former primary is a backup")
	require.Equal(
		t, 1, b.count(t, "select count(*) from credential_changes where actor_kind = 'key' and fields = '{created}'"),
	)
}

func TestCreateProvider_FailedTestIsShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	refused := b.addProvider(t, map[string]any{"secretKey": "sk_test_wrong"})
	require.Equal(t, "failing", refused.ConnectionStatus)
	require.Contains(t, refused.ErrorMessage, "does not accept this secret key")
	away := b.addProvider(t, map[string]any{"secretKey": "sk_test_gone"})
	require.Equal(t, "failing", away.ConnectionStatus)
	require.Contains(t, away.ErrorMessage, "could not be reached")
	require.Equal(t, 1, b.count(t, "select count(*) from events where type = 'provider.failing'"), "that one is refused")

	path := "/api/payment-providers/" + refused.ID
	mended := as[PaymentProvider](t, 200, b.ask(t, b.test, "PATCH", path, map[string]any{"secretKey": "sk_test_good"}))
	require.Equal(t, "active", mended.ConnectionStatus)
	require.Empty(t, mended.ErrorMessage)
	require.Equal(t, 1, b.count(t, "select count(*) from events where type = 'provider.recovered'"))
	require.Equal(t, refused.CallbackURL, mended.CallbackURL)
	require.Equal(t, "active", as[PaymentProvider](t, 200, b.ask(t, b.test, "POST", path+"/test", nil)).ConnectionStatus)
	require.Equal(
		t, 2, b.count(t, "select max(version) from provider_credentials where provider_config_id = $1", refused.ID),
	)
}

func TestCreateProvider_RefusesMalformedCredentials(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := b.rows(t)
	for _, c := range []struct {
		code, param string
		form        map[string]any
	}{
		{
			"credential_unknown", "apiToken", map[string]any{"provider": "stripe", "secretKey": "sk_test_good", "apiToken": "x"},
		},
		{"provider_environment_mismatch", "secretKey", map[string]any{"provider": "stripe", "secretKey": "sk_live_good"}},
		{"environment_mismatch", "environment", map[string]any{
			"provider": "stripe", "secretKey": "sk_test_good", "environment": "live",
		}},
		{"value_unknown", "provider", map[string]any{"provider": "paper"}},
		{"provider_credentials_invalid", "secretKey", map[string]any{"provider": "stripe"}},
		{"out_of_range", "priority", map[string]any{"provider": "stripe", "secretKey": "sk_test_good", "priority": 1001}},
	} {
		problem(t, 422, c.code, c.param, b.ask(t, b.test, "POST", "/api/payment-providers", c.form))
	}
	require.Equal(t, before, b.rows(t))
}

func TestUpdateProvider_ExactlyOnePrimary(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	backup := b.addProvider(t, map[string]any{"secretKey": "sk_test_good", "priority": 7})
	require.False(t, backup.IsPrimary)
	require.Equal(t, 7, backup.Priority)
	first, second := "/api/payment-providers/"+b.test.providerID, "/api/payment-providers/"+backup.ID
	problem(t, 422, "primary_provider_required", "isPrimary",
		b.ask(t, b.test, "PATCH", first, map[string]any{"isPrimary": false}))
	problem(t, 409, "provider_is_primary", "", b.ask(t, b.test, "POST", first+"/disable", nil))
	require.Equal(
		t, "disabled", as[PaymentProvider](t, 200, b.ask(t, b.test, "POST", second+"/disable", nil)).ConnectionStatus,
	)
	problem(t, 409, "provider_disabled", "", b.ask(t, b.test, "PATCH", second, map[string]any{"isPrimary": true}))
	require.Equal(t, 200, b.ask(t, b.test, "POST", second+"/enable", nil).Status)
	require.True(
		t, as[PaymentProvider](t, 200, b.ask(t, b.test, "PATCH", second, map[string]any{"isPrimary": true})).IsPrimary,
	)
	require.False(t, as[PaymentProvider](t, 200, b.ask(t, b.test, "GET", first, nil)).IsPrimary)
	require.Equal(t, 1, b.count(t, "select count(*) from provider_configs where is_primary and environment_id = $1",
		b.test.environmentID))
}

func TestDeleteProvider_KeepsHistory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	txn := as[Payment](t, 201, b.charge(t, cust.ID))
	first := "/api/payment-providers/" + b.test.providerID
	_, err := b.pool.Exec(t.Context(), // a send does that
		"update transactions set provider_config_id = $1, provider = 'stripe' where id = $2", b.test.providerID, txn.ID)
	require.NoError(t, err)
	problem(t, 409, "provider_has_unfinished_payments", "", b.ask(t, b.test, "DELETE", first, nil))
	b.succeed(t, txn.ID)
	b.addProvider(t, map[string]any{"secretKey": "sk_test_good"})
	problem(t, 409, "provider_is_primary", "", b.ask(t, b.test, "DELETE", first, nil))
	b.addProvider(t, map[string]any{"secretKey": "sk_test_good", "isPrimary": true})
	require.Equal(t, Deleted{ID: b.test.providerID, Deleted: true},
		as[Deleted](t, 200, b.ask(t, b.test, "DELETE", first, nil)))
	problem(t, 404, "provider_config_not_found", "", b.ask(t, b.test, "GET", first, nil))
	require.Equal(t, "success", as[Payment](t, 200, b.ask(t, b.test, "GET", "/api/payments/"+txn.ID, nil)).Status)
	require.Equal(t, 200, b.send(t, "POST", "/callbacks/stripe/"+b.test.providerID, "{}",
		"Signature", "good", "Event", "late").Status, "what is late is about a payment that stays")
}

// A payment that an account may still have, although it was sent elsewhere since, needs the account too.
func TestDeleteProvider_WaitsForOpenSends(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	backup := b.addProvider(t, map[string]any{"secretKey": "sk_test_good"})
	path := "/api/payment-providers/" + backup.ID
	txn := as[Payment](t, 201, b.charge(t, b.newCustomer(t, b.test).ID))
	_, err := b.pool.Exec(t.Context(), `insert into payment_sends
		(environment_id, transaction_id, number, provider_config_id, provider, key, reason, sent_at, outcome, answered_at)
		values ($1, $2, 1, $3, 'stripe', 'key_1', 'primary', now(), null, null)`, b.test.environmentID, txn.ID, backup.ID)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), "update transactions set provider_config_id = $1, provider = 'stripe' where id = $2",
		b.test.providerID, txn.ID)
	require.NoError(t, err)
	for _, open := range []string{"null", "'unknown'", "'pending'"} {
		_, err := b.pool.Exec(t.Context(),
			"update payment_sends set outcome = "+open+", answered_at = case when "+open+" is not null then now() end")
		require.NoError(t, err)
		problem(t, 409, "provider_has_unfinished_payments", "", b.ask(t, b.test, "DELETE", path, nil))
	}
	_, err = b.pool.Exec(t.Context(), "update payment_sends set outcome = 'not_sent', answered_at = now()")
	require.NoError(t, err)
	require.Equal(t, 200, b.ask(t, b.test, "DELETE", path, nil).Status, "it surely did not take it")
}

func TestTestDueProviders_OnceADay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tested := func() int {
		return b.count(t, "select count(*) from provider_configs where last_tested_at is not null")
	}
	_, err := b.pool.Exec(t.Context(), "update provider_configs set next_test_at = $1", b.base)
	require.NoError(t, err)
	require.NoError(t, b.deps.Service.Payments.TestDueProviders(t.Context()))
	require.Equal(t, 3, tested())
	_, err = b.pool.Exec(t.Context(), "update provider_configs set last_tested_at = null")
	require.NoError(t, err)
	require.NoError(t, b.deps.Service.Payments.TestDueProviders(t.Context()))
	require.Zero(t, tested(), "the next ones are a day later")
}

func TestProviders_ForeignIDIsAbsent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, path := range []string{b.other.providerID, b.live.providerID, id.New(id.ProviderConfig, b.clock())} {
		path = "/api/payment-providers/" + path
		for _, request := range []struct{ method, path string }{
			{"GET", path}, {"PATCH", path}, {"DELETE", path},
			{"POST", path + "/test"}, {"POST", path + "/disable"}, {"POST", path + "/enable"},
			{"POST", path + "/pause-charging"}, {"POST", path + "/resume-charging"},
		} {
			var body any
			if request.method == "PATCH" {
				body = map[string]any{"priority": 1}
			}
			problem(t, 404, "provider_config_not_found", "", b.ask(t, b.test, request.method, request.path, body))
		}
	}
	changes, err := b.store.Payments.CredentialChanges(t.Context(), b.other.environmentID, b.other.providerID)
	require.NoError(t, err)
	require.Empty(t, changes)
}

// A credential that the form lacks could not be given by the API.
func TestProviderForm_HasEveryCredential(t *testing.T) {
	t.Parallel()
	form := map[string]bool{}
	fields := reflect.TypeFor[ProviderCredentials]()
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		form[name] = true
	}
	for name, factory := range all.Registry {
		for _, field := range factory.Fields() {
			require.True(t, form[field.Name], "%s: %s", name, field.Name)
		}
	}
}
