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
	askLease    = 2 * time.Minute // of a claim: another process continues after a crash
	askRest     = 10 * time.Second
	askFailed   = time.Minute
	// askShare is the minimum rest as a multiple of a check's time: a busy subscription takes a twentieth of a processor.
	askShare = 20
)

var asUsage = db.BySystem("usage")

// AskReached checks which thresholds and limits subscriptions with merged records have reached, and returns the number
// of checked ones. One transaction writes the row, the event and, if wanted, an invoice: once, with any crashes and
// concurrent checks. A busy subscription rests between two checks. The error joins all failures: failed ones rest, and
// delay no others.
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

// ask checks one subscription, and delays its next check if records came meanwhile, or if the check failed.
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

// askAll checks a subscription; outdated: it changed meanwhile, and is checked again. A panic of the rules becomes an
// error of this subscription: otherwise each process would have it.
func (s *Service) askAll(ctx context.Context, of db.Ref) (outdated bool, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	sub, err := s.Store.Subscriptions.Get(ctx, of.EnvironmentID, of.ID)
	if errors.Is(err, db.ErrSubscriptionNotFound) { // the deletion of a test clock deleted it
		return false, nil
	}
	if err != nil {
		return false, err
	}
	limits := s.askLimits(ctx, of.EnvironmentID, sub.CustomerID)
	outdated, err = s.askThresholds(ctx, of.EnvironmentID, sub)
	return outdated, errors.Join(limits, err)
}
