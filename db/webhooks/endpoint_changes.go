package webhooks

import (
	"context"
	"time"

	"perennial/billing/delivery"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// EndpointAction is an action on a webhook endpoint.
type EndpointAction string

// The actions. Registered is noted by InsertEndpoint, the others by SaveEndpoint.
const (
	EndpointRegistered    EndpointAction = "registered"
	EndpointUpdated       EndpointAction = "updated"
	EndpointDisabled      EndpointAction = "disabled"
	EndpointEnabled       EndpointAction = "enabled"
	EndpointSecretRotated EndpointAction = "secret_rotated"
	EndpointDeleted       EndpointAction = "deleted"
)

// EndpointChange is one action of an actor on a webhook endpoint. It never holds values: a URL may carry a secret.
type EndpointChange struct {
	Action    EndpointAction
	Fields    []string                // of an update: their names in the API
	Reason    delivery.DisabledReason // of a disabling; empty: from before reasons were recorded
	ActorKind core.ActorKind          // read only, like the following: the transaction's
	ActorID   string
	ChangedAt time.Time // real
}

// noteEndpointChange keeps who did it, in the transaction that does it.
func (tx *Tx) noteEndpointChange(ctx context.Context, environmentID, endpointID string, c EndpointChange) error {
	return core.Queries.WebhookEndpointChangeInsert(ctx, tx.Pipe, dbsqlc.WebhookEndpointChangeInsertParams{
		ID: id.New(id.EndpointChange, tx.Real), EnvironmentID: environmentID, EndpointID: endpointID,
		Action: string(c.Action), Fields: core.PresentList(c.Fields), Reason: core.Null(c.Reason),
		ActorKind: string(tx.By.Kind()), ActorID: tx.By.ID(),
		ChangedAt: tx.Real,
	})
}

// EndpointChanges lists the changes of a webhook endpoint, even a deleted one, oldest first.
func (r Reader) EndpointChanges(ctx context.Context, environmentID, endpointID string) ([]EndpointChange, error) {
	found, err := core.Queries.WebhookEndpointChangeList(ctx, r.Handle, dbsqlc.WebhookEndpointChangeListParams{
		EnvironmentID: environmentID, EndpointID: endpointID,
	})
	return core.Map(found, func(f dbsqlc.WebhookEndpointChangeListRow) EndpointChange {
		return EndpointChange{
			EndpointAction(f.Action), f.Fields, core.Value(f.Reason), core.ActorKind(f.ActorKind), f.ActorID, f.ChangedAt,
		}
	}), core.Translate("WebhookEndpointChangeList", err)
}
