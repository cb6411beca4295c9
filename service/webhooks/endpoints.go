package webhooks

import (
	"context"
	"fmt"
	"slices"

	"perennial/billing/audit"
	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/service/usecase"
	"perennial/webhooks"
)

// MaxEndpoints bounds the endpoints of an environment: each event writes a row for each endpoint that wants it.
const MaxEndpoints = 20

// ErrEndpointLimit refuses an endpoint beyond MaxEndpoints.
var ErrEndpointLimit = fault.New(fault.Conflict, "webhook_endpoint_limit",
	"The environment has %d webhook endpoints, and no more are possible. Delete one first.", MaxEndpoints)

// Endpoint is a webhook endpoint.
type Endpoint struct {
	db.WebhookEndpoint
	// NewSecret is the secret that the use case generated, which is shown this once; empty: none.
	NewSecret string
}

// EndpointForm has an app's input for an endpoint.
type EndpointForm struct {
	URL         string
	Description string
	Events      []string // exact types, or patterns such as payment.* and *
	Shape       event.Shape
	Secret      string // empty: one is generated
}

// RegisterWebhook adds an enabled endpoint. Faults: those of webhooks.CheckURL and webhooks.CheckSecret,
// event_type_unknown, webhook_endpoint_limit, kek_missing.
func (s *Service) RegisterWebhook(
	ctx context.Context, by usecase.Caller, f EndpointForm, also usecase.Also[Endpoint],
) (Endpoint, error) {
	update := f.all()
	if err := update.check(by, s.receivers); err != nil {
		return Endpoint{}, err
	}
	secret, err := chooseSecret(f.Secret)
	if err != nil {
		return Endpoint{}, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (Endpoint, error) {
		return s.register(ctx, tx, by, id.New(id.Endpoint, tx.Real), update, secret)
	})
}

func (s *Service) register(
	ctx context.Context, tx *db.Tx, by usecase.Caller, endpointID string, form EndpointUpdate, secret secret,
) (Endpoint, error) {
	e := Endpoint{NewSecret: secret.generated}
	appID, keyset, err := tx.Webhooks.LockRegistrations(ctx, by.EnvironmentID)
	if err != nil {
		return e, err
	}
	n, err := tx.Webhooks.EndpointCount(ctx, by.EnvironmentID)
	if err != nil {
		return e, err
	}
	if n >= MaxEndpoints {
		return e, ErrEndpointLimit
	}
	e.ID, e.EnvironmentID, e.AppID, e.Keyset = endpointID, by.EnvironmentID, appID, keyset
	e.Status, e.CreatedAt = delivery.EndpointEnabled, tx.Real
	form.apply(&e.WebhookEndpoint)
	if e.SecretSealed, err = s.sealSecret(ctx, tx, e.WebhookEndpoint, secret.text); err != nil {
		return e, err
	}
	return e, tx.Webhooks.InsertEndpoint(ctx, by.EnvironmentID, e.WebhookEndpoint)
}

// all sets every field.
func (f EndpointForm) all() EndpointUpdate {
	return EndpointUpdate{URL: &f.URL, Description: &f.Description, Events: &f.Events, Shape: &f.Shape}
}

// CheckEndpoint refuses what RegisterWebhook refuses of a form: the faults of webhooks.CheckURL, event_type_unknown,
// webhook_events_missing, webhook_shape_unknown, kek_missing.
func (s *Service) CheckEndpoint(by usecase.Caller, f EndpointForm) error {
	switch {
	case s.vault == nil:
		return usecase.ErrKEKMissing
	case len(f.Events) == 0 || len(f.Events) > maxPatterns:
		return fault.InvalidParam("events", "webhook_events_missing",
			"`events` must have 1 to %d types or patterns, such as `payment.*`.", maxPatterns)
	case !slices.Contains(event.Shapes(), f.Shape):
		return fault.InvalidParam("payloadShape", "webhook_shape_unknown", "`payloadShape` must be `A` or `B`.")
	}
	return f.all().check(by, s.receivers)
}

// maxPatterns bounds the patterns of an endpoint, as the API does.
const maxPatterns = 100

// RegisterDisabled adds an endpoint in a transaction, with a secret that is not shown. It is disabled until a person
// has rotated the secret, told it to the receiver and enabled the endpoint. The caller has checked the form. Faults:
// webhook_endpoint_limit, kek_missing.
func (s *Service) RegisterDisabled(
	ctx context.Context, tx *db.Tx, by usecase.Caller, endpointID string, f EndpointForm,
) error {
	secret, err := chooseSecret("")
	if err != nil {
		return err
	}
	made, err := s.register(ctx, tx, by, endpointID, f.all(), secret)
	if err != nil {
		return err
	}
	made.Revision = 1
	if !made.Disable(delivery.DisabledByRequest, tx.Real) {
		return nil
	}
	return tx.Webhooks.SaveEndpoint(ctx, by.EnvironmentID, made.WebhookEndpoint,
		db.EndpointChange{Action: db.EndpointDisabled, Reason: made.DisabledReason})
}

// EndpointUpdate changes the fields that are not nil.
type EndpointUpdate struct {
	URL         *string
	Description *string
	Events      *[]string
	Shape       *event.Shape
}

func (u EndpointUpdate) check(by usecase.Caller, local webhooks.Allow) error {
	if u.URL != nil {
		if err := webhooks.CheckURL(*u.URL, by.Mode != apikey.Test, local); err != nil {
			return err
		}
	}
	if u.Description != nil {
		if err := text.Check("description", *u.Description); err != nil {
			return err
		}
	}
	if u.Events == nil {
		return nil
	}
	for i, pattern := range *u.Events { // a misspelled one would silently deliver nothing
		if err := event.Pattern(pattern).Check(); err != nil {
			return fault.From(err).In(fmt.Sprintf("events[%d]", i))
		}
	}
	return nil
}

// apply names the fields that changed, as the API does.
func (u EndpointUpdate) apply(e *db.WebhookEndpoint) (changed []string) {
	was := *e
	if u.URL != nil {
		e.URL = *u.URL
	}
	if u.Description != nil {
		e.Description = *u.Description
	}
	if u.Events != nil {
		e.Events = distinct(*u.Events)
	}
	if u.Shape != nil {
		e.PayloadShape = *u.Shape
	}
	for _, f := range []struct {
		name    string
		differs bool
	}{
		{"url", e.URL != was.URL}, {"description", e.Description != was.Description},
		{"events", !slices.Equal(e.Events, was.Events)}, {"payloadShape", e.PayloadShape != was.PayloadShape},
	} {
		if f.differs {
			changed = append(changed, f.name)
		}
	}
	return changed
}

// distinct keeps the first of equal ones.
func distinct(all []string) []string {
	kept := make([]string, 0, len(all))
	for _, s := range all {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// UpdateWebhook changes an endpoint. Waiting deliveries keep their payload and go to the new URL. Faults:
// webhook_endpoint_not_found, those of RegisterWebhook about the same fields.
func (s *Service) UpdateWebhook(
	ctx context.Context, by usecase.Caller, endpointID string, u EndpointUpdate, around usecase.Around[Endpoint],
) error {
	if err := u.check(by, s.receivers); err != nil {
		return err
	}
	return s.onEndpoint(ctx, by, endpointID, around, func(_ *db.Tx, e *Endpoint) (db.EndpointChange, error) {
		changed := u.apply(&e.WebhookEndpoint)
		if len(changed) == 0 {
			return unchanged, nil
		}
		return db.EndpointChange{Action: db.EndpointUpdated, Fields: changed}, nil
	})
}

// DisableWebhook stops deliveries to an endpoint: pending ones fail, and events meanwhile create none. Fault:
// webhook_endpoint_not_found.
func (s *Service) DisableWebhook(
	ctx context.Context, by usecase.Caller, endpointID string, around usecase.Around[Endpoint],
) error {
	return s.onEndpoint(ctx, by, endpointID, around, func(tx *db.Tx, e *Endpoint) (db.EndpointChange, error) {
		change := noted(db.EndpointDisabled, e.Disable(delivery.DisabledByRequest, tx.Real))
		if change.Action != "" {
			change.Reason = e.DisabledReason
		}
		return change, nil
	})
}

// EnableWebhook starts deliveries to an endpoint again. Fault: webhook_endpoint_not_found.
func (s *Service) EnableWebhook(
	ctx context.Context, by usecase.Caller, endpointID string, around usecase.Around[Endpoint],
) error {
	return s.onEndpoint(ctx, by, endpointID, around, func(_ *db.Tx, e *Endpoint) (db.EndpointChange, error) {
		return noted(db.EndpointEnabled, e.Enable()), nil
	})
}

// DeleteWebhook removes an endpoint for good; its log stays. Fault: webhook_endpoint_not_found.
func (s *Service) DeleteWebhook(
	ctx context.Context, by usecase.Caller, endpointID string, around usecase.Around[Endpoint],
) error {
	return s.onEndpoint(ctx, by, endpointID, around, func(tx *db.Tx, e *Endpoint) (db.EndpointChange, error) {
		return noted(db.EndpointDeleted, e.Delete(tx.Real)), nil
	})
}

// unchanged is the change of a command without an effect: nothing is saved or recorded.
var unchanged db.EndpointChange

func noted(action db.EndpointAction, changed bool) db.EndpointChange {
	if !changed {
		return unchanged
	}
	return db.EndpointChange{Action: action}
}

// fieldsOf names the fields of a change.
func fieldsOf(c db.EndpointChange) []string {
	switch c.Action {
	case unchanged.Action:
		return nil
	case db.EndpointUpdated:
		return c.Fields
	case db.EndpointSecretRotated:
		return []string{"secret"}
	case db.EndpointDeleted:
		return []string{"deleted"}
	default:
		return []string{"status"}
	}
}

// onEndpoint locks an endpoint and saves the result of change, if there is a change.
func (s *Service) onEndpoint(
	ctx context.Context, by usecase.Caller, endpointID string, around usecase.Around[Endpoint],
	change func(tx *db.Tx, e *Endpoint) (db.EndpointChange, error),
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (Endpoint, error) {
		row, err := tx.Webhooks.LockEndpoint(ctx, by.EnvironmentID, endpointID)
		e := Endpoint{WebhookEndpoint: row}
		if err != nil {
			return e, err
		}
		done, err := change(tx, &e)
		tx.AuditChanges(audit.Changes("webhook_endpoint", fieldsOf(done), row, e.WebhookEndpoint)...)
		if err != nil || done.Action == unchanged.Action {
			return e, err
		}
		return e, tx.Webhooks.SaveEndpoint(ctx, by.EnvironmentID, e.WebhookEndpoint, done)
	})
}
