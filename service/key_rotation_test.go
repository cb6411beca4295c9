package service

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/vault"
	"perennial/mail"
	"perennial/service/emails"
	"perennial/service/gateway"
	"perennial/service/payments"
	"perennial/service/tenancy"
	"perennial/service/usecase"
	"perennial/service/webhooks"
)

// sealedHouse has an app whose keyset one key-encryption key wraps, an account with credentials, one with credentials
// of an earlier build, and an endpoint; its own processes have that key and another one.
type sealedHouse struct {
	*house
	appID, former, endpoint string
	oldKEK, newKEK          string
	both                    *vault.Vault
}

func newSealedHouse(t *testing.T) *sealedHouse {
	t.Helper()
	h := &sealedHouse{house: newHouse(t), oldKEK: vault.NewKEK(), newKEK: vault.NewKEK()}
	old, err := vault.New(h.oldKEK)
	require.NoError(t, err)
	h.both, err = vault.New(h.newKEK + "," + h.oldKEK)
	require.NoError(t, err)
	ctx := t.Context()
	require.NoError(t, h.Pool.QueryRow(ctx, "select app_id from environments where id = $1", h.Env).Scan(&h.appID))
	keyset, err := old.NewAppKeyset(h.appID)
	require.NoError(t, err)
	config := h.Config
	config.AppID, config.Keyset = h.appID, keyset
	first, err := gateway.Seal(old, config, 1, gateway.Credentials{"secretKey": "sk_test_0", "webhookSecret": "whsec_0"})
	require.NoError(t, err)
	h.former = id.New(id.ProviderConfig, h.Clock.Now())
	former := func(name, text string) []byte {
		sealed, err := old.Seal(keyset, vault.Field{AppID: h.appID, ConfigID: h.former, Name: name}, []byte(text))
		require.NoError(t, err)
		return sealed
	}
	h.InTx(t, func(tx *db.Tx) error { return tx.Payments.SaveKeyset(ctx, h.appID, keyset) })
	_, err = h.Pool.Exec(ctx, "update provider_credentials set sealed = $1", first.Sealed)
	require.NoError(t, err)
	_, err = h.Pool.Exec(ctx, `insert into provider_configs
		(id, environment_id, provider, is_primary, created_at, secret_key_sealed, webhook_secret_sealed)
		values ($1, $2, 'stripe', false, now(), $3, $4)`, h.former, h.Env,
		former("secretKey", "sk_test_former"), former("webhookSecret", "whsec_former"))
	require.NoError(t, err)
	h.Service = h.WithWebhooks(Webhooks{Vault: h.both}).
		WithProviders(gateway.New(gateway.Config{Vault: h.both, BaseURLs: map[string]string{"stripe": "http://127.0.0.1:1"}}))
	e, err := h.Webhooks.RegisterWebhook(ctx, h.caller,
		webhooks.EndpointForm{URL: "https://example.com/hook", Events: []string{"*"}, Shape: event.ShapeA}, nil)
	require.NoError(t, err)
	h.endpoint = e.ID
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	require.NoError(t, h.Emails.Put(ctx, h.caller, emails.Settings{
		FromEmail: "billing@example.com", Host: "smtp.example.com", Port: 587, Security: mail.StartTLS, User: "u", Password: "p",
		DKIM: &emails.DKIM{
			Domain: "example.com", Selector: "s1", PrivateKey: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		},
	}, usecase.Around[db.EmailSender]{}))
	return h
}

// opens opens everything with keys, as a worker and an API do with each request.
func (h *sealedHouse) opens(ctx context.Context, keys *vault.Vault) error {
	for _, configID := range []string{h.Config.ID, h.former} {
		config, err := h.Store.Payments.ProviderConfigOf(ctx, h.Env, configID)
		if err != nil {
			return err
		}
		if _, err := gateway.Unseal(keys, config); err != nil {
			return err
		}
	}
	e, err := h.Store.Webhooks.Endpoint(ctx, h.Env, h.endpoint)
	if err != nil {
		return err
	}
	if _, err = (gateway.Secrets{Vault: keys}).EndpointSecrets(e, h.Clock.Now()); err != nil {
		return err
	}
	sender, err := h.Store.Emails.Sender(ctx, h.Env)
	if err != nil {
		return err
	}
	_, err = gateway.MailAccounts{Vault: keys}.MailAccount(sender)
	return err
}

func (h *sealedHouse) rotate(t *testing.T, keys *vault.Vault, r tenancy.KeyRotation) (out []tenancy.KeysetRotated) {
	t.Helper()
	require.NoError(t, h.Tenancy.RotateKeys(t.Context(), db.ByCLI("casey").Doing(db.Call{Operation: "test"}), keys, r,
		func(k tenancy.KeysetRotated) error {
			out = append(out, k)
			return nil
		}))
	return out
}

// Keys are rotated while credentials are read, replaced and added: no request fails, and nothing needs the old key
// then.
func TestRotateKeys_UnderLoadFailsNothing(t *testing.T) {
	t.Parallel()
	h := newSealedHouse(t)
	ctx, stop := context.WithCancel(t.Context())
	var reads, writes atomic.Int64
	var load errgroup.Group
	for range 4 {
		load.Go(func() error {
			for ctx.Err() == nil {
				if !assert.NoError(t, h.opens(t.Context(), h.both)) {
					return nil
				}
				reads.Add(1)
			}
			return nil
		})
	}
	write := func(do func(n int) error) {
		load.Go(func() error {
			for n := 1; ctx.Err() == nil; n++ {
				if !assert.NoError(t, do(n)) {
					return nil
				}
				writes.Add(1)
			}
			return nil
		})
	}
	write(func(n int) error {
		return h.Service.Payments.UpdateProvider(t.Context(), h.caller, h.Config.ID, payments.ProviderChange{
			Credentials: gateway.Credentials{"webhookSecret": "whsec_" + strconv.Itoa(n)},
		}, usecase.Around[db.ProviderConfig]{})
	})
	write(func(int) error {
		return h.Webhooks.RotateWebhookSecret(t.Context(), h.caller, h.endpoint, webhooks.Rotation{},
			usecase.Around[webhooks.Endpoint]{})
	})
	rewrapped := h.rotate(t, h.both, tenancy.KeyRotation{})
	for range 5 {
		for _, k := range h.rotate(t, h.both, tenancy.KeyRotation{DataKeys: true}) {
			require.NoError(t, k.Err)
			require.GreaterOrEqual(t, k.Resealed, 3)
		}
	}
	for reads.Load() < 200 || writes.Load() < 20 {
		require.NoError(t, h.opens(t.Context(), h.both))
	}
	stop()
	require.NoError(t, load.Wait())
	t.Logf("%d reads and %d changes beside 6 rotations", reads.Load(), writes.Load())

	require.Equal(t, []tenancy.KeysetRotated{{AppID: h.appID, Rewrapped: true}}, rewrapped)
	alone, err := vault.New(h.newKEK)
	require.NoError(t, err)
	require.NoError(t, h.opens(t.Context(), alone))
	formerly, err := vault.New(h.oldKEK)
	require.NoError(t, err)
	require.Equal(t, "keyset_unreadable", fault.From(h.opens(t.Context(), formerly)).Code)
	changes, err := h.Store.Payments.EnvironmentChanges(t.Context(), h.Env)
	require.NoError(t, err)
	require.Len(t, changes, 6)
	require.Equal(t, []string{"keysetWrapped"}, changes[0].Fields)
	require.Equal(t, []string{"keysetRenewed"}, changes[5].Fields)
	require.Equal(t, "casey", changes[5].ActorID)
}

func TestRotateKeys_RepeatLeavesWhatIsDone(t *testing.T) {
	t.Parallel()
	h := newSealedHouse(t)
	require.True(t, h.rotate(t, h.both, tenancy.KeyRotation{})[0].Rewrapped)
	require.Equal(t, []tenancy.KeysetRotated{{AppID: h.appID}}, h.rotate(t, h.both, tenancy.KeyRotation{}))
	require.Empty(t, h.rotate(t, h.both, tenancy.KeyRotation{DataKeys: true, After: h.appID}))
}

// A data key that was replaced twice does not open anything any more, and one that was replaced once still does.
func TestRotateKeys_FormerDataKeyStaysForOneRotation(t *testing.T) {
	t.Parallel()
	h := newSealedHouse(t)
	ctx := t.Context()
	before, err := h.Store.Payments.ProviderConfigOf(ctx, h.Env, h.Config.ID)
	require.NoError(t, err)
	h.rotate(t, h.both, tenancy.KeyRotation{DataKeys: true})
	after, err := h.Store.Payments.ProviderConfigOf(ctx, h.Env, h.Config.ID)
	require.NoError(t, err)
	require.NotEqual(t, before.Credentials[0].Sealed, after.Credentials[0].Sealed)
	sealedMeanwhile := after
	sealedMeanwhile.Credentials = before.Credentials
	_, err = gateway.Unseal(h.both, sealedMeanwhile)
	require.NoError(t, err, "by a request that had read the keyset before")
	h.rotate(t, h.both, tenancy.KeyRotation{DataKeys: true})
	again, err := h.Store.Payments.ProviderConfigOf(ctx, h.Env, h.Config.ID)
	require.NoError(t, err)
	again.Credentials = before.Credentials
	_, err = gateway.Unseal(h.both, again)
	require.Equal(t, "credential_unreadable", fault.From(err).Code)
	require.NoError(t, h.opens(ctx, h.both))
}

func TestRotateKeys_UnreadableKeysetIsLeftAndOthersAreDone(t *testing.T) {
	t.Parallel()
	h := newSealedHouse(t)
	ctx := t.Context()
	lost := "app_00000000000000000000000000" // before the other
	h.InTx(t, func(tx *db.Tx) error {
		var tenant string
		if err := h.Pool.QueryRow(ctx, "select id from tenants").Scan(&tenant); err != nil {
			return err
		}
		return tx.Tenancy.InsertApp(
			ctx, db.App{ID: lost, TenantID: tenant, Name: "Lost", Keyset: []byte("x"), CreatedAt: h.Clock.Now()},
		)
	})
	for _, dataKeys := range []bool{false, true} {
		done := h.rotate(t, h.both, tenancy.KeyRotation{DataKeys: dataKeys})
		require.Len(t, done, 2)
		require.Equal(t, lost, done[0].AppID)
		require.Equal(t, "keyset_unreadable", fault.From(done[0].Err).Code)
		require.NoError(t, done[1].Err)
	}
	_, err := h.Pool.Exec(ctx, "update provider_credentials set sealed = 'moved'")
	require.NoError(t, err)
	keyset := func() (out []byte) {
		require.NoError(t, h.Pool.QueryRow(ctx, "select keyset from apps where id = $1", h.appID).Scan(&out))
		return out
	}
	before := keyset()
	require.Equal(t, "credential_unreadable",
		fault.From(h.rotate(t, h.both, tenancy.KeyRotation{DataKeys: true})[1].Err).Code)
	require.Equal(t, before, keyset(), "nothing of the app was changed")
}
