package activities

import (
	"context"
	"time"

	"perennial/billing/payment"
	"perennial/db"
)

// lastCall is how long a call to a provider takes at most: as long as its activity may.
const lastCall = time.Minute

// unsearchable makes the exchange the end of a search that proves nothing, because an account cannot be asked: a
// person must find out. What was sent before waits for a callback first: its provider tells what became of it. Where
// that cannot be asked, it is still asked to cancel what nobody wants: a cancel moves no money, and its answer ends
// nothing.
func (x *exchange) unsearchable(ctx context.Context, tx *db.Tx, env string, now time.Time) error {
	sent, asks := x.txn.EverSent(), x.protocol.LookupByKey
	if sent && x.move == payment.MoveCancel && !asks {
		return nil
	}
	if sent && x.move == payment.MoveReplay && !asks {
		if refused, err := x.refusedBefore(ctx, tx, env, now); refused || err != nil {
			return err
		}
	}
	if sent && x.txn.ParkedAt.IsZero() {
		x.seek("", payment.MoveHold, restarted+"An account that may have the payment cannot be asked. The payment waits for a callback.")
		return nil
	}
	x.seek("", payment.MoveReview, "")
	x.lost = nil
	return nil
}

// refusedBefore turns the exchange to what a callback says of a refusal after which the payment may have been made
// again in the same call: see db.Callback.NeedsRef. No repeat will bring the reference that such evidence waits for,
// so it counts once every call has ended, one that the restored database has lost too. A success that comes later is a
// late one.
func (x *exchange) refusedBefore(ctx context.Context, tx *db.Tx, env string, now time.Time) (bool, error) {
	calls, err := tx.ProviderCalls(ctx, env, x.txn.ID)
	if err != nil {
		return false, err
	}
	last := x.restored
	for _, c := range calls {
		last = later(last, c.StartedAt)
	}
	if now.Sub(last) <= lastCall {
		return false, nil
	}
	told, err := tx.Evidence(ctx, env, x.txn.ID, x.config.ID, x.txn.Type, true, 2)
	if err == nil && len(told) > 0 {
		x.move, x.told = payment.MoveBelieve, told
	}
	return len(told) > 0, err
}

// nowhere lets the exchange be what it is without a restore. known: accounts could have taken the payment, and all have
// nothing; else none could, as far as is known now, so that a send still counts as one that may be a repeat.
func (x *exchange) nowhere(known bool, now time.Time) {
	if x.move == payment.MoveSend && !known {
		return
	}
	x.txn = x.txn.Nowhere(now)
	if x.move == payment.MoveHold && !x.txn.EverSent() {
		x.move = x.txn.Hold(x.restored)
	}
}

// strays reports whether the only account that could have taken the payment cannot be asked, and its key does not
// protect it there: it would be sent elsewhere, or nobody wants it any more, so that it is not repeated.
func (x *exchange) strays(holders []holder, s payment.Search) bool {
	alone := len(holders) == 1 && len(s.Ask) == 0
	elsewhere := x.move == payment.MoveSend && alone && holders[0].ID != x.config.ID
	return elsewhere || alone && !x.txn.EverSent() && !x.txn.CancelRequestedAt.IsZero()
}
