// Package stage owns the common rows of both sides of a benchmark: the same environment, plans and key in each
// database, and the customers and subscriptions that a scenario needs before it is measured. None of its work is
// measured.
package stage

import (
	"context"
	"time"

	"perennial/billing/account"
	"perennial/billing/dunning"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/internal/vault"
	"perennial/service/gateway"
)

// Stage has the first rows of both databases. The bare side's process gets it too.
type Stage struct {
	TenantID      string
	AppID         string
	EnvironmentID string
	ConfigID      string
	KeyID         string
	Key           string // of the API, plain
	KeyHash       []byte
	KeyHint       string
	KEK           string
	Keyset        []byte
	Credentials   db.SealedCredentials
	Basic         plan.Plan // monthly
	Pro           plan.Plan // monthly, dearer
	Daily         plan.Plan // every boundary is exactly one day after the last, in every month
	CreatedAt     time.Time
}

// New returns a new stage.
func New(now time.Time) (Stage, error) {
	key := apikey.New(apikey.Secret, apikey.Test)
	s := Stage{
		TenantID: id.New(id.Tenant, now), AppID: id.New(id.App, now), EnvironmentID: id.New(id.Environment, now),
		ConfigID: id.New(id.ProviderConfig, now), KeyID: id.New(id.APIKey, now),
		Key: key.Plain, KeyHash: key.Hash, KeyHint: key.Hint, KEK: vault.NewKEK(), CreatedAt: now,
	}
	s.Basic = newPlan("Basic", period.Month, 1000, now)
	s.Pro = newPlan("Pro", period.Month, 3000, now)
	s.Daily = newPlan("Daily", period.Day, 100, now)
	keys, err := vault.New(s.KEK)
	if err != nil {
		return s, err
	}
	if s.Keyset, err = keys.NewAppKeyset(s.AppID); err != nil {
		return s, err
	}
	s.Credentials, err = s.Seal(keys, 1, gateway.Credentials{"secretKey": secretKey})
	return s, err
}

// secretKey is a key that the simulator accepts.
const secretKey = "sk_test_simulator"

// Seal encrypts a version of the account's credentials.
func (s Stage) Seal(keys *vault.Vault, version int, c gateway.Credentials) (db.SealedCredentials, error) {
	return gateway.Seal(keys, db.ProviderConfig{ID: s.ConfigID, AppID: s.AppID, Keyset: s.Keyset}, version, c)
}

// SealWithSecret encrypts the second version, whose callbacks are verified with a secret.
func (s Stage) SealWithSecret(keys *vault.Vault, webhookSecret string) (db.SealedCredentials, error) {
	return s.Seal(keys, 2, gateway.Credentials{"secretKey": secretKey, gateway.FieldWebhookSecret: webhookSecret})
}

func newPlan(name string, unit period.Unit, amount money.Minor, now time.Time) plan.Plan {
	return plan.Plan{
		ID: id.New(id.Plan, now), Name: name, Currency: "EUR", Interval: period.Interval{Unit: unit, Count: 1}, Active: true,
		Prices: []plan.Price{plan.Flat(id.New(id.Price, now), "", amount)}, CreatedAt: now,
	}
}

// Build writes the stage into a migrated database.
func (s Stage) Build(ctx context.Context, store *db.Store) error {
	return store.InTx(ctx, db.BySystem("bench"), s.CreatedAt, func(tx *db.Tx) error {
		for _, write := range []func() error{
			func() error {
				return tx.Tenancy.InsertTenant(ctx, db.Tenant{ID: s.TenantID, Name: "Bench", CreatedAt: s.CreatedAt})
			},
			func() error {
				return tx.Tenancy.InsertApp(ctx, db.App{
					ID: s.AppID, TenantID: s.TenantID, Name: "Bench", Keyset: s.Keyset, CreatedAt: s.CreatedAt,
				})
			},
			func() error {
				return tx.Tenancy.InsertEnvironment(ctx, db.Environment{
					ID: s.EnvironmentID, AppID: s.AppID, Mode: "test", CreatedAt: s.CreatedAt,
					Settings: subscription.Settings{TimeZone: "UTC", Dunning: dunning.Default(),
						PastDueBilling: subscription.SkipPastDue},
				})
			},
			func() error {
				return tx.Tenancy.InsertAPIKey(ctx, s.EnvironmentID, db.NewAPIKey{
					ID: s.KeyID, Kind: string(apikey.Secret), Hash: s.KeyHash, Hint: s.KeyHint, Scopes: []string{"*"},
				})
			},
			func() error {
				return tx.Payments.InsertProviderConfig(ctx, s.EnvironmentID, db.ProviderConfig{
					ID: s.ConfigID, Provider: "stripe", Account: account.Account{Primary: true},
					Credentials: []db.SealedCredentials{s.Credentials},
				})
			},
			func() error { return tx.Catalog.InsertPlan(ctx, s.EnvironmentID, s.Basic) },
			func() error { return tx.Catalog.InsertPlan(ctx, s.EnvironmentID, s.Pro) },
			func() error { return tx.Catalog.InsertPlan(ctx, s.EnvironmentID, s.Daily) },
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	})
}
