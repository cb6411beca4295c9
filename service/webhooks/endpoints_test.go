package webhooks

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/vault"
	"perennial/service/usecase"
	"perennial/webhooks"
)

// receives gives the house an app that can seal, and a service that registers endpoints.
func (h *house) receives(t *testing.T) *vault.Vault {
	t.Helper()
	keys, err := vault.New(vault.NewKEK())
	require.NoError(t, err)
	var appID string
	require.NoError(t, h.Pool.QueryRow(t.Context(), "select app_id from environments where id = $1", h.Env).Scan(&appID))
	keyset, err := keys.NewAppKeyset(appID)
	require.NoError(t, err)
	h.InTx(t, func(tx *db.Tx) error { return tx.Payments.SaveKeyset(t.Context(), appID, keyset) })
	h.Service = New(h.Base, keys, webhooks.Allow{netip.MustParsePrefix("127.0.0.0/8")})
	return keys
}

func (h *house) register(t *testing.T, patterns ...string) Endpoint {
	t.Helper()
	e, err := h.RegisterWebhook(t.Context(), h.caller,
		EndpointForm{URL: "https://example.com/hook", Events: patterns, Shape: event.ShapeA}, nil)
	require.NoError(t, err)
	return e
}

// kept takes the result of a command.
func kept[R any](into *R) usecase.Around[R] {
	return usecase.Around[R]{After: func(_ *db.Tx, result R) error { *into = result; return nil }}
}

// secrets are an endpoint's, opened, the present one first.
func (h *house) secrets(t *testing.T, keys *vault.Vault, endpointID string) (texts []string) {
	t.Helper()
	e, err := h.Store.Webhooks.Endpoint(t.Context(), h.Env, endpointID)
	require.NoError(t, err)
	for _, sealed := range [][]byte{e.SecretSealed, e.PreviousSecretSealed} {
		if sealed != nil {
			plain, err := keys.Open(e.Keyset, vault.EndpointSecret(e.AppID, e.ID), sealed)
			require.NoError(t, err)
			texts = append(texts, string(plain))
		}
	}
	return texts
}

// The life of an endpoint as its audit tells it: who did what, nothing where nothing was done, and no values.
func TestWebhook_ChangesAreNoted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.receives(t)
	ctx := t.Context()
	e := h.register(t, "*")
	url, other := "https://example.com/?token=canary", h.caller
	other.Actor = db.ByOperator("op_1").Doing(db.Call{Operation: "test"})
	var out Endpoint
	disable := func() error { return h.DisableWebhook(ctx, other, e.ID, kept(&out)) }
	enable := func() error { return h.EnableWebhook(ctx, h.caller, e.ID, kept(&out)) }
	update := func() error {
		return h.UpdateWebhook(ctx, h.caller, e.ID, EndpointUpdate{URL: &url, Events: &[]string{"plan.*", "plan.*"}},
			kept(&out))
	}
	for _, do := range []func() error{
		update, update, disable, disable, enable, enable,
		func() error {
			return h.RotateWebhookSecret(ctx, other, e.ID, Rotation{Secret: "canary-secret-of-my-own"}, kept(&out))
		},
		func() error { return h.DeleteWebhook(ctx, h.caller, e.ID, kept(&out)) },
	} {
		h.Clock.Set(h.Clock.Now().Add(time.Second))
		require.NoError(t, do())
	}
	require.ErrorIs(t, enable(), db.ErrWebhookEndpointNotFound)

	noted, err := h.Store.Webhooks.EndpointChanges(ctx, h.Env, e.ID)
	require.NoError(t, err)
	at := e.CreatedAt
	note := func(action db.EndpointAction, by db.Actor, seconds int, fields ...string) db.EndpointChange {
		return db.EndpointChange{
			Action: action, Fields: append([]string{}, fields...), ActorKind: by.Kind(), ActorID: by.ID(),
			ChangedAt: at.Add(time.Duration(seconds) * time.Second),
		}
	}
	disabled := note(db.EndpointDisabled, other.Actor, 3)
	disabled.Reason = delivery.DisabledByRequest
	require.Equal(t, []db.EndpointChange{
		note(db.EndpointRegistered, h.caller.Actor, 0),
		note(db.EndpointUpdated, h.caller.Actor, 1, "url", "events"),
		disabled,
		note(db.EndpointEnabled, h.caller.Actor, 5),
		note(db.EndpointSecretRotated, other.Actor, 7),
		note(db.EndpointDeleted, h.caller.Actor, 8),
	}, noted)
	require.Zero(t, h.count(t, "select count(*) from webhook_endpoint_changes c where c::text ~ 'canary'"))
	_, err = h.Pool.Exec(ctx, "delete from webhook_endpoint_changes")
	require.Error(t, err, "what was noted stays")
}

func TestRegisterWebhook_Refusals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	form := EndpointForm{URL: "https://example.com/hook", Events: []string{"*"}, Shape: event.ShapeA}
	_, err := h.RegisterWebhook(t.Context(), h.caller, form, nil)
	require.ErrorIs(t, err, usecase.ErrKEKMissing)
	h.receives(t)
	live := h.caller
	live.Mode = apikey.Live
	for name, c := range map[string]struct {
		by          usecase.Caller
		change      func(*EndpointForm)
		code, param string
	}{
		"local receiver of a live environment": {
			live, func(f *EndpointForm) { f.URL = "https://127.0.0.1/hook" }, "webhook_url_forbidden", "url",
		},
		"no https": {live, func(f *EndpointForm) { f.URL = "http://127.0.0.1/hook" }, "webhook_url_not_https", "url"},
		"private network": {
			h.caller, func(f *EndpointForm) { f.URL = "https://10.0.0.1/hook" }, "webhook_url_forbidden", "url",
		},
		"unknown type": {
			h.caller, func(f *EndpointForm) { f.Events = []string{"*", "plan.bought"} }, "event_type_unknown", "events[1]",
		},
		"weak secret": {h.caller, func(f *EndpointForm) { f.Secret = "with blanks in it" }, "webhook_secret_invalid",
			"secret"},
	} {
		wrong := form
		c.change(&wrong)
		_, err := h.RegisterWebhook(t.Context(), c.by, wrong, nil)
		require.Equal(t, c.code, fault.From(err).Code, name)
		require.Equal(t, c.param, fault.From(err).Param, name)
	}
	require.Zero(t, h.count(t, "select count(*) from webhook_endpoints"))
	form.URL = "http://127.0.0.1/hook"
	_, err = h.RegisterWebhook(t.Context(), h.caller, form, nil)
	require.NoError(t, err, "a test environment may have local receivers")
}

func TestRegisterWebhook_TwentyAtMost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.receives(t)
	var all sync.WaitGroup
	refused := make(chan error, 30)
	for range 30 {
		all.Go(func() {
			_, err := h.RegisterWebhook(t.Context(), h.caller,
				EndpointForm{URL: "https://example.com/hook", Events: []string{"*"}, Shape: event.ShapeA}, nil)
			if err != nil {
				refused <- err
			}
		})
	}
	all.Wait()
	close(refused)
	n := 0
	for err := range refused {
		require.ErrorIs(t, err, ErrEndpointLimit)
		n++
	}
	require.Equal(t, 10, n)
	require.Equal(t, 20, h.count(t, "select count(*) from webhook_endpoints"))
	require.Equal(t, 20, h.count(t, "select count(*) from webhook_endpoint_changes"))
}

func TestRotateWebhookSecret_BothSignUnlessRevoked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	keys := h.receives(t)
	e := h.register(t, "*")
	require.Equal(t, []string{e.NewSecret}, h.secrets(t, keys, e.ID))
	var out Endpoint
	require.NoError(t, h.RotateWebhookSecret(t.Context(), h.caller, e.ID, Rotation{}, kept(&out)))
	require.Equal(t, []string{out.NewSecret, e.NewSecret}, h.secrets(t, keys, e.ID))
	require.Equal(t, h.Clock.Now().Add(24*time.Hour), out.PreviousSecretUntil)
	second := out.NewSecret
	own := Rotation{Secret: "a-secret-of-my-own", RevokePrevious: true}
	require.NoError(t, h.RotateWebhookSecret(t.Context(), h.caller, e.ID, own, kept(&out)))
	require.Empty(t, out.NewSecret, "theirs is never shown")
	require.Equal(t, []string{own.Secret}, h.secrets(t, keys, e.ID))
	require.NotEqual(t, second, e.NewSecret)
}

// A change reaches the endpoint's workflow, which closes its deliveries or begins to deliver. Without a change no
// workflow is woken.
func TestWebhook_ChangesWakeTheWorkflow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.receives(t)
	e := h.register(t, "*")
	require.Empty(t, h.dispatched.Effects, "nothing is owed yet")
	var out Endpoint
	require.NoError(t, h.EnableWebhook(t.Context(), h.caller, e.ID, kept(&out)))
	require.Empty(t, h.dispatched.Effects, "it was enabled")
	require.NoError(t, h.DisableWebhook(t.Context(), h.caller, e.ID, kept(&out)))
	require.Equal(t, []db.Effect{db.WakeEndpoint{EnvironmentID: h.Env, ID: e.ID}}, h.dispatched.Effects)
	var sent db.WebhookDelivery
	require.ErrorIs(t, h.TestWebhook(t.Context(), h.caller, e.ID, kept(&sent)), errEndpointDisabled)
}

// Another environment's endpoint looks like one that does not exist, and does not change.
func TestWebhook_ForeignEndpointIsAbsent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.receives(t)
	e := h.register(t, "*")
	stranger := h.caller
	stranger.EnvironmentID = "env_01jcz6dyqx4w9s1c2k7v5h8m3n"
	url := "https://example.org/"
	var out Endpoint
	for name, do := range map[string]func() error{
		"update": func() error {
			return h.UpdateWebhook(t.Context(), stranger, e.ID, EndpointUpdate{URL: &url}, kept(&out))
		},
		"disable": func() error { return h.DisableWebhook(t.Context(), stranger, e.ID, kept(&out)) },
		"enable":  func() error { return h.EnableWebhook(t.Context(), stranger, e.ID, kept(&out)) },
		"rotate":  func() error { return h.RotateWebhookSecret(t.Context(), stranger, e.ID, Rotation{}, kept(&out)) },
		"delete":  func() error { return h.DeleteWebhook(t.Context(), stranger, e.ID, kept(&out)) },
	} {
		require.ErrorIs(t, do(), db.ErrWebhookEndpointNotFound, name)
	}
	require.Equal(t, 1, h.count(t, "select count(*) from webhook_endpoints where revision = 1 and status = 'enabled'"))
}
