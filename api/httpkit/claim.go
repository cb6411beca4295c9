package httpkit

import (
	"bytes"
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/telemetry"
)

// Run is one request's turn at a command. With an Idempotency-Key its command id is that of the first run, so that the
// activity recognises a command it has performed before.
type Run struct {
	CommandID  string
	Route, Key string // of the row to complete with the effect; empty: the request has no Idempotency-Key
	Again      bool   // an earlier run may have performed the command already
}

// Command runs a request whose effect happens elsewhere, in a workflow's activity. The row of its key is claimed before
// and answered after; in between a lease keeps repeats waiting, and once that is over a repeat takes the command over
// under the same command id. A refusal is stored only if it is final: one that passes by itself is judged anew when the
// caller comes back, again under the same command id, so that the command is still performed at most once.
func Command[T any](ctx context.Context, k *Kit, c *Call, status int, perform func(ctx context.Context, r Run) (Made[T], error)) (*Reply[T], error) {
	r, st, err := k.claim(ctx, c)
	if err != nil {
		return nil, err
	}
	if st != nil {
		return replay[T](st)
	}
	m, err := perform(ctx, r)
	switch {
	case err == nil:
		out := answer(status, m.Resource)
		if kept := k.conclude(ctx, c, stored{status, out.Body.raw, m.CustomerID}); kept != nil {
			return replay[T](kept)
		}
		return out, nil
	case fault.From(err).Final():
		p := k.refuse(ctx, err)
		if kept := k.conclude(ctx, c, stored{status: p.Status, raw: encode(p)}); kept != nil {
			return replay[T](kept)
		}
		return nil, p
	default:
		k.release(ctx, c, r)
		return nil, err
	}
}

// claim answers a run to make, or the stored answer of an earlier one.
func (k *Kit) claim(ctx context.Context, c *Call) (Run, *stored, error) {
	if c.repeat == nil {
		return Run{CommandID: id.New(id.Command, k.now())}, nil, nil
	}
	r := Run{CommandID: c.repeat.commandID(c.EnvironmentID), Route: c.repeat.route, Key: c.repeat.key}
	patience := time.NewTimer(k.bounds.InFlight)
	defer patience.Stop()
	for {
		row, mine, err := k.tryClaim(ctx, c)
		if err != nil {
			return r, nil, err
		}
		if mine {
			r.Again = row.again
			return r, nil, nil
		}
		if st, err := c.repeat.read(row.IdempotencyKey); st != nil || err != nil {
			return r, st, err
		}
		if row.State == db.IdempotencyPerformed {
			r.Again = true // whoever performed it may be gone: to run it again only finds the outcome
			return r, nil, nil
		}
		select {
		case <-ctx.Done():
			return r, nil, errInFlight
		case <-patience.C:
			return r, nil, errInFlight
		case <-time.After(pollEvery):
		}
	}
}

// claimed is a row, and whether it was there before.
type claimed struct {
	db.IdempotencyKey
	again bool
}

// tryClaim takes the row if it is new, or if its lease is over.
func (k *Kit) tryClaim(ctx context.Context, c *Call) (row claimed, mine bool, err error) {
	now := k.now()
	err = k.store.InTx(ctx, c.Actor(), now, func(tx *db.Tx) error {
		row.IdempotencyKey, mine, err = tx.ClaimIdempotency(ctx, c.EnvironmentID, c.repeat.row(c.EnvironmentID, stored{}), now.Add(lease))
		row.again = row.CreatedAt.Before(tx.Real)
		return err
	})
	return row, mine, err
}

// conclude stores the answer. The first one counts: another request that performed the same command may have stored its
// own, which then is this request's answer too.
func (k *Kit) conclude(ctx context.Context, c *Call, st stored) *stored {
	if c.repeat == nil {
		return nil
	}
	ctx, cancel := k.Afterwards(ctx)
	defer cancel()
	var row db.IdempotencyKey
	err := k.store.InTx(ctx, c.Actor(), k.now(), func(tx *db.Tx) error {
		if err := tx.AnswerIdempotency(ctx, c.EnvironmentID, c.repeat.row(c.EnvironmentID, st)); err != nil {
			return err
		}
		var err error
		row, _, err = tx.IdempotencyKey(ctx, c.EnvironmentID, c.repeat.route, c.repeat.key)
		return err
	})
	if err != nil {
		// The effect is there, and a repeat will find it: the answer is worth more than an error now.
		k.warn(ctx, "the answer was not stored", c.repeat.commandID(c.EnvironmentID), err)
		return nil
	}
	if kept, err := c.repeat.read(row); err == nil && kept != nil && !bytes.Equal(kept.raw, st.raw) {
		return kept
	}
	return nil
}

// release ends the lease of a claim after an answer that is not stored, so that a repeat need not wait for it. Should the
// command be performed after all, the repeat has the same command id and finds the outcome.
func (k *Kit) release(ctx context.Context, c *Call, r Run) {
	if c.repeat == nil {
		return
	}
	ctx, cancel := k.Afterwards(ctx)
	defer cancel()
	err := k.store.InTx(ctx, c.Actor(), k.now(), func(tx *db.Tx) error {
		return tx.ReleaseIdempotency(ctx, c.EnvironmentID, c.repeat.row(c.EnvironmentID, stored{}))
	})
	if err != nil { // it runs out by itself, and a repeat waits until then
		k.warn(ctx, "the lease was not released", r.CommandID, err)
	}
}

// warn logs what went wrong beside a command. Its key never gets into a log: callers put what they like into it.
func (k *Kit) warn(ctx context.Context, what, commandID string, err error) {
	telemetry.For(ctx, k.telemetry.Logger).Warn(what, zap.String("commandId", commandID), zap.Error(err))
}
