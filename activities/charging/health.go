package charging

import (
	"context"

	"perennial/billing/charging"
	"perennial/billing/routing"
	"perennial/db"
)

// noteHealth records what the answer shows of its account: whether its credentials are accepted, and the state of its
// breaker.
func (r *entry) noteHealth(ctx context.Context, tx *db.Tx) error {
	if r.x.callID == "" { // the provider was not asked
		return nil
	}
	reply := r.said.reply()
	if err := r.announceHealth(ctx, tx, reply); err != nil || r.said.Outcome == "" {
		return err
	}
	note := func(b routing.Breaker) routing.Breaker { return reply.Breaker(b, r.x.Step, r.said.asked, tx.Real) }
	if was := r.x.config.Breaker; note(was) == was { // a row is written only where there is news
		return nil
	}
	b, err := tx.Payments.LockBreaker(ctx, r.env, r.x.AccountID)
	if err != nil {
		return err
	}
	return tx.Payments.SaveBreaker(ctx, r.env, r.x.AccountID, note(b))
}

// announceHealth announces that a provider refuses our credentials, and that it takes them again. The configuration's
// row is written only when that changes, so that the payments of one provider do not wait for each other.
func (r *entry) announceHealth(ctx context.Context, tx *db.Tx, reply charging.Reply) (err error) {
	config := r.x.config
	switch reply.News(!config.FailingSince.IsZero(), config.TestError != "") {
	case charging.Refused:
		_, err = tx.Payments.MarkProviderFailing(ctx, r.env, config, "credentials_refused")
	case charging.ServesAgain:
		_, err = tx.Payments.MarkProviderRecovered(ctx, r.env, config)
	case charging.Reached:
		err = tx.Payments.ClearTestError(ctx, r.env, r.x.AccountID)
	default: // nothing has changed
	}
	return err
}
