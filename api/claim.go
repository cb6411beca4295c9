package api

import (
	"bytes"
	"context"
	"time"

	"perennial/billing/fault"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
)

// attempt is one run of a command. With an Idempotency-Key its command id is that of the first run, so that the activity
// recognises a command it has performed before.
type attempt struct {
	commandID   string
	idempotency *contract.IdempotencyRef // nil: the request has no key
	again       bool                     // an earlier request may have performed the command already
}

const (
	// answerWithin and releaseWithin bound a command that nobody carries out: together the ten seconds after which a
	// caller hears that it has to come back. Waiting for a claim and for the engine share them.
	answerWithin  = 9 * time.Second
	releaseWithin = time.Second
)

// command runs a request whose effect happens elsewhere, in a workflow's activity. The row of its key is claimed before
// and answered after; in between a lease keeps repeats waiting, and once that is over a repeat takes the command over
// under the same command id.
func command[T any](ctx context.Context, s *Server, c *call, status int, run func(ctx context.Context, at attempt) (made[T], error)) (*reply[T], error) {
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	at, st, err := s.claim(within, c)
	if err != nil {
		return nil, err
	}
	if st != nil {
		return replay[T](st)
	}
	m, err := run(within, at)
	switch {
	case err == nil:
		out := answer(status, m.resource)
		if kept := s.conclude(ctx, c, stored{status, out.Body.raw, m.customerID}); kept != nil {
			return replay[T](kept)
		}
		return out, nil
	case isRefusal(err):
		p := s.refuse(ctx, err)
		if kept := s.conclude(ctx, c, stored{status: p.Status, raw: encode(p)}); kept != nil {
			return replay[T](kept)
		}
		return nil, p
	default:
		s.release(ctx, c, at)
		return nil, err
	}
}

// isRefusal tells whether an error is the rules' answer, which a repeat must hear again, rather than our trouble, after
// which a repeat may well succeed.
func isRefusal(err error) bool {
	switch fault.From(err).Kind {
	case fault.Invalid, fault.NotFound, fault.Conflict, fault.Gone:
		return true
	default:
		return false
	}
}

// claim answers an attempt to run, or the stored answer of an earlier one.
func (s *Server) claim(ctx context.Context, c *call) (attempt, *stored, error) {
	if c.repeat == nil {
		return attempt{commandID: id.New(id.Command, s.now())}, nil, nil
	}
	at := attempt{
		commandID:   c.repeat.commandID(c.environmentID),
		idempotency: &contract.IdempotencyRef{Route: c.repeat.route, Key: c.repeat.key},
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		row, mine, err := s.tryClaim(ctx, c)
		switch {
		case err != nil && ctx.Err() != nil:
			return at, nil, errInFlight
		case err != nil:
			return at, nil, err
		case mine:
			at.again = row.again
			return at, nil, nil
		}
		if st, err := c.repeat.read(row.IdempotencyKey); st != nil || err != nil {
			return at, st, err
		}
		if row.State == db.IdempotencyPerformed {
			at.again = true // whoever performed it may be gone: to run it again only finds the outcome
			return at, nil, nil
		}
		select {
		case <-ctx.Done():
			return at, nil, errInFlight
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
func (s *Server) tryClaim(ctx context.Context, c *call) (row claimed, mine bool, err error) {
	now := s.now()
	err = s.store.InTx(ctx, now, func(tx *db.Tx) error {
		row.IdempotencyKey, mine, err = tx.ClaimIdempotency(ctx, c.environmentID, c.repeat.row(c.environmentID, stored{}), now.Add(lease))
		row.again = row.CreatedAt.Before(tx.Real)
		return err
	})
	return row, mine, err
}

// concludeBudget bounds what is done about a key after its effect: also for a caller that has gone away.
const concludeBudget = 5 * time.Second

// conclude stores the answer. The first one counts: another request that performed the same command may have stored its
// own, which then is this request's answer too.
func (s *Server) conclude(ctx context.Context, c *call, st stored) *stored {
	if c.repeat == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), concludeBudget)
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
		s.bestEffort(ctx, "store answer", c.repeat.key, err)
		return nil
	}
	if kept, err := c.repeat.read(row); err == nil && kept != nil && !bytes.Equal(kept.raw, st.raw) {
		return kept
	}
	return nil
}

// release ends the lease of a claim after trouble of our own, so that a repeat need not wait for it. Should the command be
// performed after all, the repeat has the same command id and finds the outcome.
func (s *Server) release(ctx context.Context, c *call, at attempt) {
	if c.repeat == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer cancel()
	err := s.store.InTx(ctx, s.now(), func(tx *db.Tx) error {
		return tx.ReleaseIdempotency(ctx, c.environmentID, c.repeat.row(c.environmentID, stored{}))
	})
	s.bestEffort(ctx, "release key", at.commandID, err)
}
