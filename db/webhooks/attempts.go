package webhooks

import (
	"context"
	"encoding/json"
	"time"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// The reads and writes of webhook deliveries. Only the workflow of an endpoint delivers to it, except for a worker that
// was wrongly taken for dead; so an open attempt keeps others from its delivery for AttemptHeld.

// AttemptHeld is the time after which an attempt that has not ended counts as lost with its worker: the time of an
// attempt and of writing its end.
const AttemptHeld = 20 * time.Second

// DueDelivery is a delivery with the data of an attempt.
type DueDelivery struct {
	State        delivery.State
	LastAttempt  int    // number of the last attempt; 0: none
	OrderingKey  string // first attempts of one key are made one after the other; empty: in any order
	PayloadShape event.Shape
	CreatedAt    time.Time // real

	EventID    string
	EventType  event.Type
	Data       json.RawMessage
	Sequence   int64 // of the event in its subscription; 0: none
	OccurredAt int64 // Unix seconds, virtual on a test clock
}

// AttemptStart is an attempt, one POST of a delivery, about to be made.
type AttemptStart struct {
	DeliveryID string
	Number     int // counts automatic and manual ones from 1
	Manual     bool
}

// AttemptResult has the parts of the exchange that the log keeps.
type AttemptResult struct {
	StatusCode      int // 0: no response
	Latency         time.Duration
	RequestHeaders  map[string]string // the sent headers, without signatures
	ResponseExcerpt []byte            // at most 64 KiB
	ErrorClass      string            // empty: no failure
	ErrorText       string
}

// AttemptEnd is the end of an attempt and its consequences.
type AttemptEnd struct {
	AttemptStart
	AttemptResult
	End  delivery.End
	Next delivery.Next
}

// EndpointBacklog counts the deliveries that wait for an endpoint, each kind up to 1,000, and has the time of the next
// work; zero: nothing is pending, or only first attempts, which are due.
type EndpointBacklog struct {
	First, Later int
	NextAt       time.Time
}

// BeginDeliveries reads an endpoint, even a deleted one, for its deliveries, and clears the mark that it is being
// woken. Later deliveries mark it again. Fault: webhook_endpoint_not_found.
func (tx *Tx) BeginDeliveries(ctx context.Context, environmentID, id string) (WebhookEndpoint, error) {
	err := core.Queries.WebhookEndpointClearWakePending(ctx, tx.Pipe, dbsqlc.WebhookEndpointClearWakePendingParams{
		EnvironmentID: environmentID, ID: id, Now: &tx.Real,
	})
	if err != nil {
		return WebhookEndpoint{}, err
	}
	row, err := core.Queries.WebhookEndpointGetToDeliver(ctx, tx.Pipe, dbsqlc.WebhookEndpointGetToDeliverParams{
		EnvironmentID: environmentID, ID: id,
	})
	return endpointWithKeyset(dbsqlc.WebhookEndpointGetRow(row)), core.ReadError("webhook_endpoint", err)
}

// EventHorizon returns two positions, which are counted over all environments: the one up to which every event of the
// environment is visible to the next read, and the last one given out. Between them lie transactions that still write.
func (r Reader) EventHorizon(ctx context.Context, environmentID string) (horizon, last int64, err error) {
	row, err := core.Queries.PageBounds(ctx, r.Handle, dbsqlc.PageBoundsParams{Scope: environmentID})
	return row.Horizon, row.Last, core.Translate("PageBounds", err)
}

// DueDeliveries lists the due deliveries of an endpoint: at most limit first attempts, in the order of their events,
// behind at most limit later ones. For an endpoint that is not of that revision any more, it lists nothing.
func (r Reader) DueDeliveries(
	ctx context.Context, environmentID, endpointID string, revision int64, at time.Time, limit int,
) ([]DueDelivery, error) {
	rows, err := core.Queries.WebhookDeliveryListDue(ctx, r.Lists(), dbsqlc.WebhookDeliveryListDueParams{
		EnvironmentID: environmentID, EndpointID: endpointID, Revision: revision, Now: at, RowLimit: limit,
	})
	return core.Map(rows, dueFromDB), core.Translate("WebhookDeliveryListDue", err)
}

func dueFromDB(d dbsqlc.WebhookDeliveryListDueRow) DueDelivery {
	return DueDelivery{
		State: delivery.State{
			ID: d.ID, Attempts: d.Attempts, Unknown: d.UnknownAttempts, Redelivery: d.Redeliver, Delivered: d.Delivered,
		},
		LastAttempt: d.LastAttempt, OrderingKey: core.Value(d.OrderingKey), PayloadShape: d.PayloadShape,
		CreatedAt: d.CreatedAt,
		EventID:   d.EventID, EventType: d.Type, Data: d.Data, OccurredAt: d.OccurredAt, Sequence: core.Value(d.Sequence),
	}
}

// LostAttempt is an attempt that its worker left open.
type LostAttempt struct {
	AttemptStart
	State delivery.State
}

// LostAttempts lists the open attempts of an endpoint that began before a time, the oldest first.
func (r Reader) LostAttempts(
	ctx context.Context, environmentID, endpointID string, before time.Time, limit int,
) ([]LostAttempt, error) {
	found, err := core.Queries.WebhookAttemptListLost(ctx, r.Handle, dbsqlc.WebhookAttemptListLostParams{
		EnvironmentID: environmentID, EndpointID: endpointID, Before: before, RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(a dbsqlc.WebhookAttemptListLostRow) LostAttempt {
		return LostAttempt{
			AttemptStart: AttemptStart{DeliveryID: a.DeliveryID, Number: a.Number, Manual: a.Manual},
			State: delivery.State{
				ID: a.DeliveryID, Attempts: a.Attempts, Unknown: a.UnknownAttempts, Redelivery: a.Manual, Delivered: a.Delivered,
			},
		}
	}), core.Translate("WebhookAttemptListLost", err)
}

// EndpointBacklog counts the deliveries that wait for an endpoint.
func (r Reader) EndpointBacklog(ctx context.Context, environmentID, endpointID string) (EndpointBacklog, error) {
	row, err := core.Queries.WebhookDeliveryNextDue(ctx, r.Handle, dbsqlc.WebhookDeliveryNextDueParams{
		EnvironmentID: environmentID, EndpointID: endpointID, HeldSeconds: AttemptHeld.Seconds(), AtMost: backlogCounted,
	})
	return EndpointBacklog{First: row.First, Later: row.Later, NextAt: row.NextAt},
		core.Translate("WebhookDeliveryNextDue", err)
}

const backlogCounted = 1_000

// NewAttempt is an attempt to be written for an endpoint as it was read.
type NewAttempt struct {
	AttemptStart
	EndpointID string
	Revision   int64 // of the endpoint
}

// StartAttempts writes attempts before they are made. Once the transaction has committed, begun has been called for the
// delivery of each that was written. The others must not be made: their endpoint is not of that revision any more, so
// that nothing is sent to a URL that was replaced, or after a request to send nothing; or another worker has one open.
func (tx *Tx) StartAttempts(
	ctx context.Context, environmentID string, starts []NewAttempt, begun func(deliveryID string),
) error {
	if len(starts) == 0 {
		return nil
	}
	p := dbsqlc.WebhookAttemptStartParams{EnvironmentID: environmentID, StartedAt: tx.Real}
	for _, s := range starts {
		p.DeliveryIds, p.Numbers = append(p.DeliveryIds, s.DeliveryID), append(p.Numbers, s.Number)
		p.Manuals, p.EndpointIds = append(p.Manuals, s.Manual), append(p.EndpointIds, s.EndpointID)
		p.Revisions = append(p.Revisions, s.Revision)
	}
	if err := tx.KeepPlans(ctx); err != nil {
		return err
	}
	return tx.Pipe.AddReading(func(h dbsqlc.DBTX) error {
		written, err := core.Queries.WebhookAttemptStart(ctx, h, p)
		for _, id := range written {
			begun(id)
		}
		return err
	})
}

// WithdrawAttempts deletes attempts that were written and not made.
func (tx *Tx) WithdrawAttempts(ctx context.Context, environmentID string, attempts []AttemptStart) error {
	if len(attempts) == 0 {
		return nil
	}
	p := dbsqlc.WebhookAttemptWithdrawParams{EnvironmentID: environmentID}
	for _, a := range attempts {
		p.DeliveryIds, p.Numbers = append(p.DeliveryIds, a.DeliveryID), append(p.Numbers, a.Number)
	}
	if err := tx.KeepPlans(ctx); err != nil {
		return err
	}
	return core.Queries.WebhookAttemptWithdraw(ctx, tx.Pipe, p)
}

// EndAttempts writes how attempts ended and what becomes of their deliveries.
// One that another worker closed as lost stays so.
func (tx *Tx) EndAttempts(ctx context.Context, environmentID string, ends []AttemptEnd) error {
	if len(ends) == 0 {
		return nil
	}
	p := dbsqlc.WebhookAttemptEndParams{EnvironmentID: environmentID}
	for _, e := range ends {
		var headers []byte
		if e.RequestHeaders != nil {
			headers, _ = json.Marshal(e.RequestHeaders) // strings always marshal
		}
		p.DeliveryIds, p.Numbers = append(p.DeliveryIds, e.DeliveryID), append(p.Numbers, e.Number)
		p.EndedAt, p.Outcomes = append(p.EndedAt, e.End.At), append(p.Outcomes, string(e.End.Outcome))
		p.StatusCodes, p.Latencies = append(p.StatusCodes, e.StatusCode), append(p.Latencies, int(e.Latency.Milliseconds()))
		p.Headers, p.Excerpts = append(p.Headers, headers), append(p.Excerpts, e.ResponseExcerpt)
		p.ErrorClasses, p.ErrorTexts = append(p.ErrorClasses, e.ErrorClass), append(p.ErrorTexts, e.ErrorText)
		p.Statuses, p.Attempts = append(p.Statuses, string(e.Next.Status)), append(p.Attempts, e.Next.Attempts)
		p.Unknowns, p.NextAt = append(p.Unknowns, e.Next.Unknown), append(p.NextAt, e.Next.At)
		p.Reasons, p.Redeliver = append(p.Reasons, string(e.Next.Reason)), append(p.Redeliver, e.Next.Redelivery)
	}
	if err := tx.KeepPlans(ctx); err != nil {
		return err
	}
	return core.Queries.WebhookAttemptEnd(ctx, tx.Pipe, p)
}

// MayBeDue reports whether DueDeliveries may find deliveries that are not known: a cheap query.
func (r Reader) MayBeDue(
	ctx context.Context, environmentID, endpointID string, at time.Time, known []string,
) (bool, error) {
	may, err := core.Queries.WebhookDeliveryMayBeDue(ctx, r.Handle, dbsqlc.WebhookDeliveryMayBeDueParams{
		EnvironmentID: environmentID, EndpointID: endpointID, Now: at, KnownIds: core.PresentList(known),
	})
	return may, core.Translate("WebhookDeliveryMayBeDue", err)
}

// SetEndpointFailing notes since when an endpoint fails, or with the zero time that it does not.
// Only a change is written.
func (tx *Tx) SetEndpointFailing(ctx context.Context, environmentID, id string, since time.Time) error {
	return core.Queries.WebhookEndpointSetFailing(ctx, tx.Pipe, dbsqlc.WebhookEndpointSetFailingParams{
		EnvironmentID: environmentID, ID: id, FailingSince: core.NullTime(since),
	})
}

// SetEndpointNextAttempt notes when the endpoint's workflow has something to do; zero: when it is woken.
func (tx *Tx) SetEndpointNextAttempt(ctx context.Context, environmentID, id string, at time.Time) error {
	return core.Queries.WebhookEndpointSetNextAttempt(ctx, tx.Pipe, dbsqlc.WebhookEndpointSetNextAttemptParams{
		EnvironmentID: environmentID, ID: id, NextAttemptAt: core.NullTime(at),
	})
}

// CloseDeliveries ends at most limit pending deliveries of a disabled endpoint, and returns how many.
func (tx *Tx) CloseDeliveries(ctx context.Context, environmentID, endpointID string, limit int) (int, error) {
	n, err := core.Queries.WebhookDeliveryClose(ctx, tx.Pipe, dbsqlc.WebhookDeliveryCloseParams{
		EnvironmentID: environmentID, EndpointID: endpointID, Now: tx.Real, RowLimit: core.RowLimit(limit),
	})
	return n, core.Translate("WebhookDeliveryClose", err)
}

// PurgeLog deletes at most limit deliveries written before then that are not pending, with their attempts, and
// returns how many. Global: retention.
func (tx *Tx) PurgeLog(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := core.Queries.WebhookDeliveryPurge(ctx, tx.Pipe,
		dbsqlc.WebhookDeliveryPurgeParams{Before: before, RowLimit: core.RowLimit(limit)})
	return n, core.Translate("WebhookDeliveryPurge", err)
}
