package emits

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"perennial/billing/routing"
	"perennial/db"
	"perennial/service/gateway"
	"perennial/service/payments"
	"perennial/service/usecase"
)

// accountsAt is a provider that refuses keys that end in "refused", and takes others.
func accountsAt(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("Authorization"), "refused") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"object":"balance","livemode":false}`))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// account adds a backup with a key.
func (s *stage) account(key string) (db.ProviderConfig, error) {
	return s.service.Payments.CreateProvider(s.ctx, s.by, payments.ProviderForm{
		Account: usecase.Account{Provider: "stripe", Credentials: gateway.Credentials{"secretKey": key}},
	}, nil)
}

// onAccount performs a command on a backup with a key.
func onAccount(s *stage, key string, perform func(
	ctx context.Context, by usecase.Caller, id string, around usecase.Around[db.ProviderConfig]) error,
) func() error {
	config, err := s.account(key)
	s.must(err)
	return func() error { return perform(s.ctx, s.by, config.ID, usecase.Around[db.ProviderConfig]{}) }
}

// changing is a change of a backup.
func changing(s *stage, change payments.ProviderChange) func() error {
	return onAccount(s, "sk_test_taken", func(ctx context.Context, by usecase.Caller, id string,
		around usecase.Around[db.ProviderConfig]) error {
		return s.service.Payments.UpdateProvider(ctx, by, id, change, around)
	})
}

// charging pauses or resumes the charging of the environment.
func (s *stage) charging(
	do func(ctx context.Context, by usecase.Caller, around usecase.Around[payments.Charging]) error,
) func() error {
	return func() error { return do(s.ctx, s.by, usecase.Around[payments.Charging]{}) }
}

// accounts set the scene of each request about an account at a provider, and return the request.
var accounts = map[string]func(*stage) func() error{
	"createPaymentProvider": func(s *stage) func() error {
		return func() error { _, err := s.account("sk_test_taken"); return err }
	},
	"createPaymentProvider the provider refuses the credentials": func(s *stage) func() error {
		return func() error { _, err := s.account("sk_test_refused"); return err }
	},
	"updatePaymentProvider": func(s *stage) func() error {
		priority := 7
		return changing(s, payments.ProviderChange{Priority: &priority})
	},
	"updatePaymentProvider the provider refuses the new credentials": func(s *stage) func() error {
		return changing(s, payments.ProviderChange{Credentials: gateway.Credentials{"secretKey": "sk_test_refused"}})
	},
	"testPaymentProvider the provider refuses the credentials": func(s *stage) func() error {
		test := onAccount(s, "sk_test_refused", s.service.Payments.TestProvider)
		_, err := s.Pool.Exec(s.ctx, "update provider_configs set failing_since = null")
		s.must(err)
		return test
	},
	"testPaymentProvider the provider takes the credentials again": func(s *stage) func() error {
		test := onAccount(s, "sk_test_taken", s.service.Payments.TestProvider)
		_, err := s.Pool.Exec(s.ctx, "update provider_configs set failing_since = now() where not is_primary")
		s.must(err)
		return test
	},
	"disablePaymentProvider": func(s *stage) func() error {
		return onAccount(s, "sk_test_taken", s.service.Payments.DisableProvider)
	},
	"enablePaymentProvider": func(s *stage) func() error {
		return onAccount(s, "sk_test_taken", s.service.Payments.EnableProvider)
	},
	"pausePaymentProvider": func(s *stage) func() error {
		return onAccount(s, "sk_test_taken", s.service.Payments.PauseProvider)
	},
	"pausePaymentProvider it is paused already": func(s *stage) func() error {
		pause := onAccount(s, "sk_test_taken", s.service.Payments.PauseProvider)
		s.must(pause())
		return pause
	},
	"resumePaymentProvider": func(s *stage) func() error {
		resume := onAccount(s, "sk_test_taken", s.service.Payments.ResumeProvider)
		_, err := s.Pool.Exec(s.ctx, "update provider_configs set charging_paused_at = now() where not is_primary")
		s.must(err)
		return resume
	},
	"replaceRoutingRules": func(s *stage) func() error {
		return func() error {
			return s.service.Payments.ReplaceRoutingRules(s.ctx, s.by, nil, usecase.Around[[]routing.Rule]{})
		}
	},
	"pauseCharging": func(s *stage) func() error { return s.charging(s.service.Payments.PauseCharging) },
	"pauseCharging it is paused already": func(s *stage) func() error { // since the line before
		return s.charging(s.service.Payments.PauseCharging)
	},
	"resumeCharging": func(s *stage) func() error { return s.charging(s.service.Payments.ResumeCharging) },
	"deletePaymentProvider": func(s *stage) func() error {
		return onAccount(s, "sk_test_taken", s.service.Payments.DeleteProvider)
	},
}
