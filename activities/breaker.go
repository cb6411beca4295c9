package activities

import (
	"context"
	"net/http"
	"time"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
)

// noteBreaker counts what an exchange, begun then, says about its account. Credentials that are not known (401) open the
// breaker whatever was asked, all else opens and closes it only of charges that are sent: a look-up that is answered does
// not say that charges are, and a refund that is not taken, or not permitted (403), does not say that charges are not.
// Silence and its end count of any exchange. A real answer writes only where there is something to forget, and silence
// only where it is news.
func noteBreaker(
	ctx context.Context, tx *db.Tx, env string, x exchange, answer providers.Result, begun time.Time,
) error {
	if x.callID == "" || answer.Outcome == "" { // the provider was not asked
		return nil
	}
	failure, bad := failureOf(answer)
	note := func(b routing.Breaker) routing.Breaker {
		switch send := x.move == payment.MoveSend && x.txn.Type == payment.Charge; {
		case answer.NotOffered: // the account may take any other charge
		case bad && (send || answer.HTTPStatus == http.StatusUnauthorized):
			b = b.Failed(failure, x.txn.ID, tx.Real)
		case !bad && send:
			b = b.Taken()
		}
		switch {
		case silent(answer):
			b = b.Silent(begun, tx.Real)
		case served(answer):
			b = b.Answered(tx.Real)
		}
		return b
	}
	if was := x.config.Breaker; note(was) == was {
		return nil
	}
	b, err := tx.LockBreaker(ctx, env, x.config.ID)
	if err != nil {
		return err
	}
	return tx.SaveBreaker(ctx, env, x.config.ID, note(b))
}

// failureOf returns how a provider failed to answer; false: it answered.
func failureOf(answer providers.Result) (routing.Failure, bool) {
	switch {
	case refused(answer):
		return routing.Unauthorized, true
	case answer.Outcome == providers.NotSent:
		return routing.NotTaken, true
	case answer.Outcome == providers.Unknown:
		return routing.Unanswered, true
	}
	return 0, false
}
