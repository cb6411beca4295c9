package activities

import (
	"context"
	"net/http"

	"perennial/billing/event"
	"perennial/db"
	"perennial/providers"
)

// announceHealth announces that a provider refuses our credentials, and that it takes them again. The configuration's
// row is written only when that changes, so that the payments of one provider do not wait for each other.
func announceHealth(ctx context.Context, tx *db.Tx, env string, x exchange, answer providers.Result) error {
	failing := !x.config.FailingSince.IsZero()
	of := event.ProviderConfig{ID: x.config.ID, Provider: x.config.Provider}
	switch {
	case x.callID == "": // the provider was not asked
		return nil
	case refused(answer) && !failing:
		news, err := tx.MarkProviderFailing(ctx, env, of.ID)
		if err != nil || !news {
			return err
		}
		return tx.Emit(ctx, env, event.New(event.ProviderFailing{ProviderConfig: of, Reason: "credentials_refused"}, tx.Real))
	case failing && served(answer):
		news, err := tx.MarkProviderRecovered(ctx, env, of.ID)
		if err != nil || !news {
			return err
		}
		return tx.Emit(ctx, env, event.New(event.ProviderRecovered{ProviderConfig: of}, tx.Real))
	case x.config.TestError != "" && served(answer): // the test could not reach it then
		return tx.ClearTestError(ctx, env, of.ID)
	}
	return nil
}

// refused reports whether the provider refused our credentials.
func refused(answer providers.Result) bool {
	if answer.NotOffered {
		return false
	}
	return answer.HTTPStatus == http.StatusUnauthorized || answer.HTTPStatus == http.StatusForbidden
}

// served reports whether the answer is about the operation asked for, which only accepted credentials lead to.
func served(answer providers.Result) bool {
	return answer.Outcome.Final() || answer.Outcome == providers.Pending || answer.Outcome == providers.NotFound
}
