package api

import (
	"bytes"
	"context"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/telemetry"
)

// run is one request's turn at a command. With an Idempotency-Key its command id is that of the first run, so that the
// activity recognises a command it has performed before.
type run struct {
	commandID   string
	idempotency *contract.IdempotencyRef // nil: the request has no key
	again       bool                     // an earlier run may have performed the command already
}

// command runs a request whose effect happens elsewhere, in a workflow's activity. The row of its key is claimed before
// and answered after; in between a lease keeps repeats waiting, and once that is over a repeat takes the command over
// under the same command id. A refusal is stored only if it is final: one that passes by itself is judged anew when the
// caller comes back, again under the same command id, so that the command is still performed at most once.
func command[T any](ctx context.Context, s *Server, c *call, status int, perform func(ctx context.Context, r run) (made[T], error)) (*reply[T], error) {
	r, st, err := s.claim(ctx, c)
	if err != nil {
		return nil, err
	}
	if st != nil {
		return replay[T](st)
	}
	m, err := perform(ctx, r)
	switch {
	case err == nil:
		out := answer(status, m.resource)
		if kept := s.conclude(ctx, c, stored{status, out.Body.raw, m.customerID}); kept != nil {
			return replay[T](kept)
		}
		return out, nil
	case fault.From(err).Final():
		p := s.refuse(ctx, err)
		if kept := s.conclude(ctx, c, stored{status: p.Status, raw: encode(p)}); kept != nil {
			return replay[T](kept)
		}
		return nil, p
	default:
		s.release(ctx, c, r)
		return nil, err
	}
}

// claim answers a run to make, or the stored answer of an earlier one.
func (s *Server) claim(ctx context.Context, c *call) (run, *stored, error) {
	if c.repeat == nil {
		return run{commandID: id.New(id.Command, s.now())}, nil, nil
	}
	r := run{
		commandID:   c.repeat.commandID(c.environmentID),
		idempotency: &contract.IdempotencyRef{Route: c.repeat.route, Key: c.repeat.key},
	}
	patience, cancel := context.WithTimeout(ctx, s.bounds.inFlight)
	defer cancel()
	for {
		row, mine, err := s.tryClaim(ctx, c)
		if err != nil {
			return r, nil, err
		}
		if mine {
			r.again = row.again
			return r, nil, nil
		}
		if st, err := c.repeat.read(row.IdempotencyKey); st != nil || err != nil {
			return r, st, err
		}
		if row.State == db.IdempotencyPerformed {
			r.again = true // whoever performed it may be gone: to run it again only finds the outcome
			return r, nil, nil
		}
		if s.store.Await(patience, db.AwaitedIdempotencyKey(c.environmentID, c.repeat.route, c.repeat.key)) != nil {
			return r, nil, errInFlight
		}
	}
}

// claimed is a row, and whether it was there before.
type claimed struct {
	db.IdempotencyKey
	again bool
}

// tryClaim takes the row if it is new, or if its lease is over.
func (s *Server) tryClaim(ctx context.Context, c *call) (row claimed, mine bool, err error) {
	now := s.now()
	err = s.store.InTx(ctx, now, func(tx *db.Tx) error {
		row.IdempotencyKey, mine, err = tx.ClaimIdempotency(ctx, c.environmentID, c.repeat.row(c.environmentID, stored{}), now.Add(lease))
		row.again = row.CreatedAt.Before(tx.Real)
		return err
	})
	return row, mine, err
}

// conclude stores the answer. The first one counts: another request that performed the same command may have stored its
// own, which then is this request's answer too.
func (s *Server) conclude(ctx context.Context, c *call, st stored) *stored {
	if c.repeat == nil {
		return nil
	}
	ctx, cancel := s.afterwards(ctx)
	defer cancel()
	var row db.IdempotencyKey
	err := s.store.InTx(ctx, s.now(), func(tx *db.Tx) error {
		if err := tx.AnswerIdempotency(ctx, c.environmentID, c.repeat.row(c.environmentID, st)); err != nil {
			return err
		}
		var err error
		row, _, err = tx.IdempotencyKey(ctx, c.environmentID, c.repeat.route, c.repeat.key)
		return err
	})
	if err != nil {
		// The effect is there, and a repeat will find it: the answer is worth more than an error now.
		s.warn(ctx, "the answer was not stored", c.repeat.commandID(c.environmentID), err)
		return nil
	}
	if kept, err := c.repeat.read(row); err == nil && kept != nil && !bytes.Equal(kept.raw, st.raw) {
		return kept
	}
	return nil
}

// release ends the lease of a claim after an answer that is not stored, so that a repeat need not wait for it. Should the
// command be performed after all, the repeat has the same command id and finds the outcome.
func (s *Server) release(ctx context.Context, c *call, r run) {
	if c.repeat == nil {
		return
	}
	ctx, cancel := s.afterwards(ctx)
	defer cancel()
	err := s.store.InTx(ctx, s.now(), func(tx *db.Tx) error {
		return tx.ReleaseIdempotency(ctx, c.environmentID, c.repeat.row(c.environmentID, stored{}))
	})
	if err != nil { // it runs out by itself, and a repeat waits until then
		s.warn(ctx, "the lease was not released", r.commandID, err)
	}
}

// warn logs what went wrong beside a command. Its key never gets into a log: callers put what they like into it.
func (s *Server) warn(ctx context.Context, what, commandID string, err error) {
	telemetry.For(ctx, s.telemetry.Logger).Warn(what, zap.String("commandId", commandID), zap.Error(err))
}
