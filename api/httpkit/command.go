package httpkit

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/telemetry"
)

// Admission lets a request in, until leave is called, or turns it away.
type Admission func() (leave func(), err error)

// Command runs a command on an existing resource. Its whole effect, and the answer for repeats, are one transaction of
// a use case: perform, which calls before at the begin of that transaction and keep at its end. The row of the
// request's key is written first, so that a concurrent repeat waits there and then reads the answer, instead of being
// judged by the changes of the first one. A refusal is stored only if it is final: a repeat after a temporary one is
// judged again. admit, where given, may refuse the request before any work is done for it; it is not called for a
// repeat that another request has answered meanwhile.
func Command[R, T any](
	ctx context.Context, k *Kit, c *Call, status int, render func(R) Made[T],
	perform func(before func(*db.Tx) error, keep func(*db.Tx, R) error) error, admit ...Admission,
) (*Reply[T], error) {
	leave, answered, err := k.inTurn(ctx, c)
	if err != nil {
		return nil, err
	}
	defer leave()
	if answered != nil {
		return replay[T](answered)
	}
	for _, enter := range admit {
		leave, err := enter()
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	var out *Reply[T]
	err = absent(perform(
		func(tx *db.Tx) error {
			if c.repeat == nil {
				return nil
			}
			return tx.ReserveIdempotency(ctx, c.EnvironmentID, c.repeat.row(stored{}))
		},
		func(tx *db.Tx, result R) error {
			m := render(result)
			out = answer(status, m.Resource)
			tx.AuditMade(idIn(out.Body.raw))
			if c.repeat == nil {
				return nil
			}
			return tx.AnswerIdempotency(ctx, c.EnvironmentID, c.repeat.row(m.stored(out)))
		}))
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, db.ErrIdempotencyKeyTaken):
		return replayOr[T](k.answered(ctx, c))
	case c.repeat != nil && fault.From(err).Final():
		return remember[T](ctx, k, c, err)
	default:
		return nil, err
	}
}

// remember stores a final refusal, which changed nothing, so that a repeat gets the same. Where another request with
// the same key came first, this request gets its answer: changes since then may have led to a refusal before this
// request could meet the row of the first.
func remember[T any](ctx context.Context, k *Kit, c *Call, refusal error) (*Reply[T], error) {
	p := k.refuse(ctx, refusal)
	ctx, cancel := k.Afterwards(ctx)
	defer cancel()
	err := k.store.InTx(ctx, c.Actor(), k.now(), func(tx *db.Tx) error {
		tx.AuditNothing("a refusal has changed nothing")
		return tx.InsertAnsweredIdempotency(ctx, c.EnvironmentID, c.repeat.row(stored{status: p.Status, raw: encode(p)}))
	})
	if errors.Is(err, db.ErrIdempotencyKeyTaken) {
		return replayOr[T](k.answered(ctx, c))
	}
	if err != nil { // nothing was performed, so the refusal stands; a repeat is judged anew
		telemetry.For(ctx, k.telemetry.Logger).Warn("failed to store a refusal for repeats", zap.Error(err))
	}
	return nil, p
}
