package charging

import (
	"context"
	"time"

	"perennial/billing/charging"
	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
)

// replyOf is what an answer says about its account, in the words of the rules.
func replyOf(r providers.Result) charging.Reply {
	return charging.Reply{Outcome: payment.Outcome(r.Outcome), HTTPStatus: r.HTTPStatus, NotOffered: r.NotOffered}
}

// noteHealth writes what an answer, to an exchange begun then, says about its account: whether its credentials are
// accepted, and its breaker.
func noteHealth(ctx context.Context, tx *db.Tx, env string, x exchange, answer providers.Result, begun time.Time) error {
	if x.callID == "" { // the provider was not asked
		return nil
	}
	reply := replyOf(answer)
	if err := announceHealth(ctx, tx, env, x, reply); err != nil {
		return err
	}
	if answer.Outcome == "" {
		return nil
	}
	note := func(b routing.Breaker) routing.Breaker { return reply.Breaker(b, x.Step, begun, tx.Real) }
	if was := x.config.Breaker; note(was) == was { // a row is written only where there is news
		return nil
	}
	b, err := tx.LockBreaker(ctx, env, x.config.ID)
	if err != nil {
		return err
	}
	return tx.SaveBreaker(ctx, env, x.config.ID, note(b))
}

// announceHealth announces that a provider refuses our credentials, and that it takes them again. The configuration's
// row is written only when that changes, so that the payments of one provider do not wait for each other.
func announceHealth(ctx context.Context, tx *db.Tx, env string, x exchange, reply charging.Reply) (err error) {
	switch reply.News(!x.config.FailingSince.IsZero(), x.config.TestError != "") {
	case charging.Refused:
		_, err = tx.MarkProviderFailing(ctx, env, x.config, "credentials_refused")
	case charging.ServesAgain:
		_, err = tx.MarkProviderRecovered(ctx, env, x.config)
	case charging.Reached:
		err = tx.ClearTestError(ctx, env, x.config.ID)
	default: // nothing has changed
	}
	return err
}
