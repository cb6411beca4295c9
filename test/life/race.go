package life

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/contract"
)

// CheckUntilSettled repeats as Temporal would: another worker may have changed the transaction meanwhile.
func (l *Life) CheckUntilSettled(ctx context.Context, txn string) error {
	for {
		out, err := l.Payments.Charge(ctx, contract.ResolveInput{
			EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now(), Asked: true,
		})
		if err == nil && out.Status == payment.Success {
			return nil
		}
		if ctx.Err() != nil || deadlocked(err) {
			return errors.Join(ctx.Err(), err)
		}
	}
}

// CommandUntilJudged repeats a command as the caller does that gets a 503, which means that nothing was performed.
func (l *Life) CommandUntilJudged(ctx context.Context, c Command) (*fault.Error, error) {
	for {
		_, err := l.Ask(c)
		if err == nil {
			return nil, nil
		}
		if f := fault.From(err); f.Refusal() {
			return f, nil
		}
		if ctx.Err() != nil || deadlocked(err) {
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}

// deadlocked distinguishes PostgreSQL's last resort from faults that a repeat fixes.
func deadlocked(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "40P01"
}
