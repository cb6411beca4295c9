package activities

import (
	"context"
	"net/http"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
)

// noteBreaker counts what an exchange says about its account. Credentials that are not known (401) count whatever was
// asked, all else only of charges that are sent: a look-up that is answered does not say that charges are, and a refund
// that is not taken, or not permitted (403), does not say that charges are not. A real answer writes only where there is
// something to forget.
func noteBreaker(ctx context.Context, tx *db.Tx, env string, x exchange, answer providers.Result) error {
	failure, bad := failureOf(answer)
	send := x.move == payment.MoveSend && x.txn.Type == payment.Charge
	switch {
	case x.callID == "" || answer.Outcome == "": // the provider was not asked
		return nil
	case !send && answer.HTTPStatus != http.StatusUnauthorized:
		return nil
	case !bad && x.breaker == (routing.Breaker{}):
		return nil
	}
	b, err := tx.LockBreaker(ctx, env, x.config.ID)
	if err != nil {
		return err
	}
	if bad {
		b = b.Failed(failure, tx.Real)
	} else {
		b = routing.Breaker{}
	}
	return tx.SaveBreaker(ctx, env, x.config.ID, b)
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
