package emits

import (
	"context"
	"time"

	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/service/usecase"
	servicewebhooks "perennial/service/webhooks"
	"perennial/webhooks"
)

// endpoints set the scene of each request about webhook endpoints, and return the request.
var endpoints = map[string]func(*stage) func() error{
	"createWebhook": func(s *stage) func() error {
		return func() error { _, err := s.register(); return err }
	},
	"updateWebhook": func(s *stage) func() error {
		url := "https://hooks.example.com/elsewhere"
		return onEndpoint(s, func(ctx context.Context, by usecase.Caller, id string,
			around usecase.Around[servicewebhooks.Endpoint]) error {
			return s.service.Webhooks.UpdateWebhook(ctx, by, id, servicewebhooks.EndpointUpdate{URL: &url}, around)
		})
	},
	"disableWebhook": func(s *stage) func() error { return onEndpoint(s, s.service.Webhooks.DisableWebhook) },
	"enableWebhook": func(s *stage) func() error {
		e := s.endpoint()
		s.must(s.service.Webhooks.DisableWebhook(s.ctx, s.by, e.ID, usecase.Around[servicewebhooks.Endpoint]{}))
		return func() error {
			return s.service.Webhooks.EnableWebhook(s.ctx, s.by, e.ID, usecase.Around[servicewebhooks.Endpoint]{})
		}
	},
	"deleteWebhook": func(s *stage) func() error { return onEndpoint(s, s.service.Webhooks.DeleteWebhook) },
	"rotateWebhookSecret": func(s *stage) func() error {
		return onEndpoint(s, func(ctx context.Context, by usecase.Caller, id string,
			around usecase.Around[servicewebhooks.Endpoint]) error {
			return s.service.Webhooks.RotateWebhookSecret(ctx, by, id, servicewebhooks.Rotation{}, around)
		})
	},
	"testWebhook": func(s *stage) func() error { return onEndpoint(s, s.service.Webhooks.TestWebhook) },
	"redeliverWebhooks": func(s *stage) func() error {
		e := s.endpoint()
		s.Announce(s.t, 1)
		found, _, err := s.Store.Webhooks.Deliveries(s.ctx, s.Env, db.WebhookDeliveryFilter{EndpointID: e.ID},
			db.Page{Limit: 1})
		s.must(err)
		return func() error {
			return s.service.Webhooks.Redeliver(s.ctx, s.by, found[0].ID, usecase.Around[servicewebhooks.Redelivered]{})
		}
	},
}

// deliveries are the same for attempts to deliver.
var deliveries = map[string]func(*stage) func() error{
	"an attempt fails":                          func(s *stage) func() error { return s.attempt(500, 1, 0) },
	"an attempt fails the receiver answers 410": func(s *stage) func() error { return s.attempt(410, 1, 0) },
	"an attempt fails the last of a delivery, and the endpoint has failed for three days": func(s *stage) func() error {
		return s.attempt(500, 4, 4*24*time.Hour)
	},
}

func (s *stage) register() (servicewebhooks.Endpoint, error) {
	return s.service.Webhooks.RegisterWebhook(s.ctx, s.by, servicewebhooks.EndpointForm{
		URL: "https://hooks.example.com/perennial", Events: []string{string(event.TypePlanCreated)}, Shape: "A",
	}, nil)
}

func (s *stage) endpoint() servicewebhooks.Endpoint {
	s.t.Helper()
	e, err := s.register()
	s.must(err)
	return e
}

func onEndpoint[R any](
	s *stage, request func(ctx context.Context, by usecase.Caller, endpointID string, around usecase.Around[R]) error,
) func() error {
	e := s.endpoint()
	return func() error { return request(s.ctx, s.by, e.ID, usecase.Around[R]{}) }
}

// refusing is a receiver that never takes a delivery: it answers with this status.
type refusing int

func (r refusing) Send(context.Context, webhooks.Request) webhooks.Result {
	return webhooks.Result{Status: int(r), Failure: webhooks.FailedStatus, Detail: "The receiver refused."}
}

// attempt makes attempt n of a delivery, which gets a status, to an endpoint that has failed for some time.
func (s *stage) attempt(status, n int, failing time.Duration) func() error {
	e := s.endpoint()
	s.Announce(s.t, 1)
	if failing > 0 {
		_, err := s.Pool.Exec(s.ctx, "update webhook_endpoints set failing_since = $2 where id = $1",
			e.ID, s.Clock.Now().Add(-failing))
		s.must(err)
	}
	steps := s.Deliveries(s.t, refusing(status))
	deliver := func() (contract.DeliverOutput, error) {
		return steps.DeliverDue(s.ctx, contract.DeliverInput{Ref: contract.Ref{EnvironmentID: s.Env, ID: e.ID}})
	}
	for range n - 1 {
		out, err := deliver()
		s.must(err)
		s.Clock.Set(out.NextAt)
	}
	return func() error { _, err := deliver(); return err }
}
