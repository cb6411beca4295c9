package webhooks

import (
	"context"
	"time"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// WebhookEndpoint receives an environment's events for an app. Secrets are sealed with the app's keyset, which the
// single reads bring along, wrapped by the key-encryption key.
type WebhookEndpoint struct {
	ID            string
	EnvironmentID string // read only
	AppID         string // read only; empty in lists
	Mode          string // read only: "test" or "live"; empty in lists
	Keyset        []byte // read only; empty in lists

	URL          string
	Description  string
	Events       []string // patterns (event.Pattern), at least one and at most 100
	PayloadShape event.Shape
	delivery.Endpoint

	NextAttemptAt time.Time // read only; zero: the endpoint is owed nothing, or waits to be woken
	WakePending   bool      // read only: its workflow is being woken
	Revision      int64     // read only: SaveEndpoint compares it
	CreatedAt     time.Time // read only
}

// WebhookEndpointFilter narrows a list; empty: any.
type WebhookEndpointFilter struct {
	Status delivery.EndpointStatus
}

// Endpoint reads an endpoint that is not deleted. Fault: webhook_endpoint_not_found.
func (r Reader) Endpoint(ctx context.Context, environmentID, id string) (WebhookEndpoint, error) {
	row, err := core.Queries.WebhookEndpointGet(ctx, r.Handle,
		dbsqlc.WebhookEndpointGetParams{EnvironmentID: environmentID, ID: id})
	return endpointWithKeyset(row), core.ReadError("webhook_endpoint", err)
}

// EndpointWithKey reads key and endpoint in one round trip. Faults: api_key_unknown; webhook_endpoint_not_found,
// with the key.
func (r Reader) EndpointWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, WebhookEndpoint,
	error) {
	row, err := core.Queries.WebhookEndpointGetWithKey(ctx, r.Handle,
		dbsqlc.WebhookEndpointGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "webhook_endpoint", err)
		return key, WebhookEndpoint{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), EndpointFromDB(row.WebhookEndpoint), nil
}

// Endpoints lists an environment's, without the deleted ones.
func (r Reader) Endpoints(
	ctx context.Context, environmentID string, f WebhookEndpointFilter, page core.Page,
) (endpoints []WebhookEndpoint, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.WebhookEndpointList(ctx, r.Lists(), dbsqlc.WebhookEndpointListParams{
		EnvironmentID: environmentID, Status: core.Null(string(f.Status)),
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("WebhookEndpointList", err)
	}
	endpoints, hasMore = core.Cut(page, rows, func(row dbsqlc.WebhookEndpointListRow) WebhookEndpoint {
		return EndpointFromDB(row.WebhookEndpoint)
	})
	return endpoints, hasMore, nil
}

// EndpointCount counts an environment's, without the deleted ones. Each event writes a row for each endpoint that wants
// it, so the code that adds endpoints bounds their number.
func (r Reader) EndpointCount(ctx context.Context, environmentID string) (int, error) {
	n, err := core.Queries.WebhookEndpointCount(ctx, r.Handle, environmentID)
	return n, core.Translate("WebhookEndpointCount", err)
}

// EndpointIDs returns the ids among some that are of endpoints here, also of deleted ones.
func (r Reader) EndpointIDs(ctx context.Context, environmentID string, ids []string) ([]string, error) {
	found, err := core.Queries.WebhookEndpointListIDs(ctx, r.Handle,
		dbsqlc.WebhookEndpointListIDsParams{EnvironmentID: environmentID, Ids: ids})
	return found, core.Translate("WebhookEndpointListIDs", err)
}

// LockRegistrations keeps every other registration of the environment waiting until the transaction ends, and
// returns the app with its keyset, wrapped by the key-encryption key, for sealing the secret of a new endpoint.
func (tx *Tx) LockRegistrations(
	ctx context.Context, environmentID string,
) (appID string, keyset []byte, err error) {
	row, err := core.Queries.WebhookRegistrationLock(ctx, tx.Pipe, environmentID)
	return row.AppID, row.Keyset, core.ReadError("environment", err)
}

// LockEndpoint reads an endpoint and locks it until this transaction ends. Lock it before anything is emitted. Fault:
// webhook_endpoint_not_found.
func (tx *Tx) LockEndpoint(ctx context.Context, environmentID, id string) (WebhookEndpoint, error) {
	row, err := core.Queries.WebhookEndpointLock(ctx, tx.Pipe,
		dbsqlc.WebhookEndpointLockParams{EnvironmentID: environmentID, ID: id})
	return endpointWithKeyset(dbsqlc.WebhookEndpointGetRow(row)), core.ReadError("webhook_endpoint", err)
}

// LockEndpoints locks all enabled endpoints of an environment: for a transaction that changes one of them and
// emits an event, which wakes the others. Writers of events lock them in the same order.
func (tx *Tx) LockEndpoints(ctx context.Context, environmentID string) error {
	_, err := core.Queries.WebhookEndpointLockEnabled(ctx, tx.Pipe, environmentID)
	return core.Translate("WebhookEndpointLockEnabled", err)
}

// InsertEndpoint writes an enabled one, and notes who registered it.
func (tx *Tx) InsertEndpoint(ctx context.Context, environmentID string, e WebhookEndpoint) error {
	err := core.Queries.WebhookEndpointInsert(ctx, tx.Pipe, dbsqlc.WebhookEndpointInsertParams{
		ID: e.ID, EnvironmentID: environmentID, Url: e.URL, Description: e.Description, Events: core.PresentList(e.Events),
		PayloadShape: e.PayloadShape, SecretSealed: e.SecretSealed, CreatedAt: tx.Real,
	})
	if err != nil {
		return err
	}
	return tx.noteEndpointChange(ctx, environmentID, e.ID, EndpointChange{Action: EndpointRegistered})
}

// SaveEndpoint writes the fields that may change, records the change and its actor, and wakes the endpoint's workflow,
// which closes the remaining deliveries of a disabled or deleted endpoint. Fault: webhook_endpoint_changed, when it is
// not of the revision read.
func (tx *Tx) SaveEndpoint(
	ctx context.Context, environmentID string, e WebhookEndpoint, change EndpointChange,
) error {
	tx.WakeWebhookEndpoint(environmentID, e.ID)
	err := core.Queries.WebhookEndpointUpdate(ctx, tx.Pipe.OrElse(core.ErrWebhookEndpointChanged),
		dbsqlc.WebhookEndpointUpdateParams{
			EnvironmentID: environmentID, ID: e.ID, Url: e.URL, Description: e.Description,
			Events: core.PresentList(e.Events), PayloadShape: e.PayloadShape, Status: e.Status,
			DisabledReason: core.Null(e.DisabledReason), DisabledAt: core.NullTime(e.DisabledAt), SecretSealed: e.SecretSealed,
			PreviousSecretSealed: e.PreviousSecretSealed, PreviousSecretUntil: core.NullTime(e.PreviousSecretUntil),
			FailingSince: core.NullTime(e.FailingSince), DeletedAt: core.NullTime(e.DeletedAt), Revision: e.Revision,
		})
	if err != nil {
		return err
	}
	return tx.noteEndpointChange(ctx, environmentID, e.ID, change)
}

func endpointWithKeyset(row dbsqlc.WebhookEndpointGetRow) WebhookEndpoint {
	e := EndpointFromDB(row.WebhookEndpoint)
	e.AppID, e.Mode, e.Keyset = row.AppID, row.Mode, row.Keyset
	return e
}

// EndpointFromDB returns the endpoint of a row, without its app.
func EndpointFromDB(row dbsqlc.WebhookEndpoint) WebhookEndpoint {
	return WebhookEndpoint{
		ID: row.ID, EnvironmentID: row.EnvironmentID, URL: row.Url, Description: row.Description, Events: row.Events,
		PayloadShape: row.PayloadShape,
		Endpoint: delivery.Endpoint{
			Status: row.Status, DisabledReason: core.Value(row.DisabledReason), DisabledAt: core.Value(row.DisabledAt),
			FailingSince: core.Value(row.FailingSince), DeletedAt: core.Value(row.DeletedAt), SecretSealed: row.SecretSealed,
			PreviousSecretSealed: row.PreviousSecretSealed, PreviousSecretUntil: core.Value(row.PreviousSecretUntil),
		},
		NextAttemptAt: core.Value(row.NextAttemptAt), WakePending: row.WakePendingSince != nil, Revision: row.Revision,
		CreatedAt: row.CreatedAt,
	}
}
