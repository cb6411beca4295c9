package activities

import (
	"time"

	"perennial/billing/payment"
)

// unsearchable makes the exchange the end of a search that proves nothing, because an account cannot be asked: a person
// must find out. What was sent before waits for a callback first: its provider tells what became of it.
func (x *exchange) unsearchable() {
	if x.txn.EverSent() && x.txn.ParkedAt.IsZero() {
		x.seek("", payment.MoveHold, "The database was restored, and an account that may have the payment cannot be asked. "+
			"The payment waits for a callback.")
		return
	}
	x.seek("", payment.MoveReview, "")
	x.lost = nil
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
