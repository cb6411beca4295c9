package activities

import (
	"context"
	"time"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
)

// noteBreaker counts what an exchange, begun then, says about its account. Refused credentials count whatever was asked,
// all else that opens or closes the breaker only of sends: a look-up that is answered does not say that charges are. An
// answer writes only where there is something to forget, and silence only where it is news.
func noteBreaker(
	ctx context.Context, tx *db.Tx, env string, x exchange, answer providers.Result, begun time.Time,
) error {
	if x.callID == "" || answer.Outcome == "" { // the provider was not asked
		return nil
	}
	failure, bad := failureOf(answer)
	note := func(b routing.Breaker) routing.Breaker {
		switch send := x.move == payment.MoveSend; {
		case bad && (send || failure == routing.Unauthorized):
			b = b.Failed(failure, tx.Real)
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
