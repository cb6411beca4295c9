package scene

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/delivery"
	rules "perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/webhooks"
)

// The secrets that sign deliveries in a scene.
const (
	EndpointSecret         = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	EndpointSecretPrevious = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

// Deliveries are the real ones, to receivers on this machine. A nil sender sends.
func (s *Scene) Deliveries(t testing.TB, sender delivery.Sender) *delivery.Deliveries {
	t.Helper()
	if sender == nil {
		own := webhooks.NewSender(webhooks.Options{
			Now: time.Now, Allow: webhooks.Allow{netip.MustParsePrefix("127.0.0.0/8")},
		})
		t.Cleanup(own.Close)
		sender = own
	}
	return &delivery.Deliveries{
		Store: s.Worker, Clock: s.Clock.Now, Sender: sender, Secrets: secrets{}, Observer: Unobserved{},
	}
}

type secrets struct{}

// EndpointSecrets implements delivery.EndpointSecrets.
func (secrets) EndpointSecrets(e db.WebhookEndpoint, at time.Time) ([]string, error) {
	return []string{EndpointSecret, EndpointSecretPrevious}[:len(e.SigningSecrets(at))], nil
}

// AttemptEnded implements delivery.Observer.
func (Unobserved) AttemptEnded(context.Context, string, string, time.Duration, time.Duration) {}

// EndpointDisabled implements delivery.Observer.
func (Unobserved) EndpointDisabled(context.Context, string, string, rules.DisabledReason, time.Time) {
}

// Endpoint registers a receiver.
func (s *Scene) Endpoint(t testing.TB, url string, patterns ...string) contract.Ref {
	t.Helper()
	e := db.WebhookEndpoint{
		ID: id.New(id.Endpoint, s.Clock.Now()), URL: url, Events: patterns, PayloadShape: event.ShapeA,
		Endpoint: rules.Endpoint{SecretSealed: []byte("sealed")},
	}
	s.InTx(t, func(tx *db.Tx) error { return tx.Webhooks.InsertEndpoint(t.Context(), s.Env, e) })
	return contract.Ref{EnvironmentID: s.Env, ID: e.ID}
}

// Announce emits n events without a subscription, in one transaction.
func (s *Scene) Announce(t testing.TB, n int) {
	t.Helper()
	s.InTx(t, func(tx *db.Tx) error {
		for range n {
			plan := event.PlanCreated{ID: id.New(id.Plan, s.Clock.Now())}
			if err := tx.Emit(t.Context(), s.Env, event.New(plan, s.Clock.Now())); err != nil {
				return err
			}
		}
		return nil
	})
}

// AllDelivered waits until nothing that the scene's endpoints are owed is pending.
func (s *Scene) AllDelivered(t testing.TB, atMost time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool {
		var pending int
		err := s.Pool.QueryRow(t.Context(), "select count(*) from webhook_deliveries where status = 'pending'").Scan(&pending)
		return err == nil && pending == 0
	}, atMost, 10*time.Millisecond)
}
