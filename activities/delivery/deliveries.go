// Package delivery sends events to webhook endpoints. Attempts are written before each POST, and recorded after it.
// billing/delivery decides when the next attempt is due, and webhooks what goes over the wire.
package delivery

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"perennial/activities/execution"
	"perennial/billing/delivery"
	"perennial/contract"
	"perennial/db"
	"perennial/webhooks"
)

// Sender makes one attempt.
type Sender interface {
	Send(ctx context.Context, r webhooks.Request) webhooks.Result
}

// EndpointSecrets opens the secrets that sign an endpoint's deliveries at a time, the newest first.
type EndpointSecrets interface {
	EndpointSecrets(e db.WebhookEndpoint, at time.Time) ([]string, error)
}

// Observer receives the measurements of deliveries.
type Observer interface {
	// AttemptEnded: class is empty where the receiver took the delivery. waited is the time from the commit of the event
	// to the end of the first attempt; negative: it was not the first.
	AttemptEnded(ctx context.Context, mode, class string, took, waited time.Duration)
	// EndpointDisabled: it failed for days, or its receiver is gone.
	EndpointDisabled(
		ctx context.Context, environmentID, endpointID string, reason delivery.DisabledReason, failingSince time.Time,
	)
}

// Deliveries sends what webhook endpoints are owed. Its transactions have a pool of their own.
type Deliveries struct {
	Store    *db.Store
	Clock    execution.Clock
	Sender   Sender
	Secrets  EndpointSecrets
	Observer Observer
	// Live and Test say when retries are due; zero: the defaults of billing/delivery.
	Live, Test delivery.Policy
	// SlowAfter is the duration after which an attempt counts as slow; zero: 1 s.
	SlowAfter time.Duration

	apps       appSlots
	recorder   recorder
	background sync.WaitGroup
}

// Bounds of the deliveries of one process. docs/adr/0025-webhook-lanes.md gives the reasons.
const (
	endpointInFlight = 10                     // attempts to one endpoint at a time
	slowInFlight     = 3                      // to an endpoint that answers slowly
	appInFlight      = 100                    // attempts of one app that began less than slowAfter ago
	slowAfter        = time.Second            // Deliveries.SlowAfter
	runTakes         = 25 * time.Second       // how long an activity takes new work
	dueBatch         = 100                    // deliveries read at once
	closeBatch       = 1_000                  // deliveries of a disabled endpoint closed at once
	recordPatience   = 15 * time.Second       // how long a result waits for the database
	recordPause      = 200 * time.Millisecond // between its tries
)

// lulls are the pauses after which a run that found nothing looks again before it ends: under load events follow each
// other closely, and a longer run costs no signal and no workflow task.
var lulls = []time.Duration{25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond}

// DeliverDue delivers the events of an endpoint until nothing is due, or for 25 s. On the fast lane it ends early when
// the receiver is slow: open attempts continue and are recorded, and the workflow returns by the slow lane.
func (a *Deliveries) DeliverDue(ctx context.Context, in contract.DeliverInput) (contract.DeliverOutput, error) {
	var endpoint db.WebhookEndpoint
	err := execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) (err error) {
		endpoint, err = tx.Webhooks.BeginDeliveries(ctx, in.Ref.EnvironmentID, in.Ref.ID)
		return err
	})
	if errors.Is(err, db.ErrWebhookEndpointNotFound) {
		return contract.DeliverOutput{Gone: true}, nil
	}
	if err != nil {
		return contract.DeliverOutput{}, err
	}
	if endpoint.Status != delivery.EndpointEnabled {
		return a.close(ctx, in.Ref)
	}
	r, err := a.newRun(ctx, endpoint, in.Slow)
	if err != nil {
		return contract.DeliverOutput{}, err
	}
	if err := r.deliver(ctx); err != nil {
		return contract.DeliverOutput{}, err
	}
	return r.output(ctx)
}

// close ends the remaining deliveries of a disabled endpoint. A writer that found it enabled may not have committed
// yet: close waits for all transactions that began before our mark was cleared, or their deliveries would be pending
// for ever.
func (a *Deliveries) close(ctx context.Context, ref contract.Ref) (contract.DeliverOutput, error) {
	_, since, err := a.Store.Webhooks.EventHorizon(ctx, ref.EnvironmentID)
	if err != nil {
		return contract.DeliverOutput{}, err
	}
	for _, lull := range lulls {
		horizon, _, err := a.Store.Webhooks.EventHorizon(ctx, ref.EnvironmentID)
		if err != nil {
			return contract.DeliverOutput{}, err
		}
		if horizon >= since {
			return contract.DeliverOutput{Gone: true}, a.closePending(ctx, ref)
		}
		wait(ctx, lull)
	}
	return contract.DeliverOutput{NextAt: a.Clock().Add(execution.SettlePause)}, nil
}

func (a *Deliveries) closePending(ctx context.Context, ref contract.Ref) error {
	for closed := closeBatch; closed == closeBatch; execution.Heartbeat(ctx) {
		err := execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) (err error) {
			closed, err = tx.Webhooks.CloseDeliveries(ctx, ref.EnvironmentID, ref.ID, closeBatch)
			if err != nil || closed == closeBatch {
				return err // the rest stays due if this process ends
			}
			return tx.Webhooks.SetEndpointNextAttempt(ctx, ref.EnvironmentID, ref.ID, time.Time{})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// wait waits, unless the worker is to end.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-execution.Stopping(ctx):
	case <-ctx.Done():
	}
}

// Drain waits until attempts that outlived their activity are recorded: at most as long as an attempt may take.
func (a *Deliveries) Drain() { a.background.Wait() }

// policy is the environment's.
func (a *Deliveries) policy(mode string) delivery.Policy {
	own, standard := a.Test, delivery.TestPolicy
	if mode == "live" {
		own, standard = a.Live, delivery.LivePolicy
	}
	if len(own.Gaps) == 0 {
		return standard
	}
	return own
}

func (a *Deliveries) slowAfter() time.Duration { return cmp.Or(a.SlowAfter, slowAfter) }
