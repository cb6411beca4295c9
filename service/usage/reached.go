package usage

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"perennial/db"
)

const (
	askedAtOnce = 50              // subscriptions of one claim
	askLease    = 2 * time.Minute // of a claim: another process asks where this one ended
	askRest     = 10 * time.Second
	askFailed   = time.Minute
	// askShare is the least rest in times of what the asking took: a busy subscription takes a twentieth of a processor.
	askShare = 20
)

var asUsage = db.BySystem("usage")

// AskReached asks, of subscriptions of which records were merged, which thresholds and limits their usage has reached,
// and returns how many it asked about. What is reached is its row, its event and, if wanted, an invoice in one
// transaction: once, whichever process ends or asks too. A busy subscription rests between two askings. The error is
// that of all that fail: they rest, and hold nobody else up.
func (s *Service) AskReached(ctx context.Context) (total int, err error) {
	var failed []error
	for {
		var claimed []db.UsageTouched
		err := s.Store.InTx(ctx, asUsage, s.Now(), func(tx *db.Tx) (err error) {
			claimed, err = tx.Usage.ClaimTouched(ctx, askedAtOnce, askLease)
			return err
		})
		if err != nil {
			return total, err
		}
		for _, one := range claimed {
			if err := s.ask(ctx, one); err != nil {
				failed = append(failed, fmt.Errorf("service: what the usage of %s reaches: %w", one.ID, err))
			}
			if ctx.Err() != nil {
				return total, ctx.Err()
			}
			total++
		}
		if len(claimed) < askedAtOnce {
			return total, errors.Join(failed...)
		}
	}
}

// ask asks about one subscription, and lets it rest where records came meanwhile, or where that failed.
func (s *Service) ask(ctx context.Context, of db.UsageTouched) error {
	began := s.Now()
	outdated, err := s.askAll(ctx, of.Ref)
	rest := max(askRest, askShare*s.Now().Sub(began))
	if err != nil {
		rest = max(askFailed, rest)
	}
	return errors.Join(err, s.Store.InTx(ctx, asUsage, s.Now(), func(tx *db.Tx) error {
		if err == nil && !outdated {
			if err := tx.Usage.Asked(ctx, of); err != nil {
				return err
			}
		}
		return tx.Usage.AskLater(ctx, of.Ref, rest)
	}))
}

// askAll asks what was reached; outdated: the subscription was changed meanwhile, and is asked about again. A panic of
// the rules is the error of this subscription: it would meet each process.
func (s *Service) askAll(ctx context.Context, of db.Ref) (outdated bool, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	sub, err := s.Store.Subscriptions.Get(ctx, of.EnvironmentID, of.ID)
	if errors.Is(err, db.ErrSubscriptionNotFound) { // a deleted test clock took it along
		return false, nil
	}
	if err != nil {
		return false, err
	}
	limits := s.askLimits(ctx, of.EnvironmentID, sub.CustomerID)
	outdated, err = s.askThresholds(ctx, of.EnvironmentID, sub)
	return outdated, errors.Join(limits, err)
}
