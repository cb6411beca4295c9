package service

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/db"
)

// quotedFor is how long a change costs what a preview showed, in the subscription's own time.
const quotedFor = 30 * time.Minute

// quoted is what a preview token says. It is not sealed: whoever changes it asks for another change, prorated from at
// most quotedFor ago, and is refused unless that costs what the token says. Nothing is kept here for it (ADR 44).
type quoted struct {
	SubscriptionID string          `json:"s"`
	At             int64           `json:"a"` // from when the change is prorated, Unix seconds
	Change         PlanChange      `json:"c"`
	Quote          lifecycle.Quote `json:"q"`
}

// ExpiresAt is the end of a preview's token.
func (p Previewed) ExpiresAt() time.Time {
	if p.Token == "" {
		return time.Time{}
	}
	return p.At.Truncate(time.Second).Add(quotedFor)
}

func (q quoted) token() (string, error) {
	raw, err := json.Marshal(q)
	return base64.RawURLEncoding.EncodeToString(raw), err
}

// readToken reads a token of a subscription. Fault: preview_token_invalid.
func readToken(token, subscriptionID string) (q quoted, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(raw, &q)
	}
	if err != nil || q.SubscriptionID != subscriptionID {
		return quoted{}, fault.InvalidParam("previewToken", "preview_token_invalid",
			"`previewToken` is not of a preview of this subscription. Send the token of POST /subscriptions/{id}/preview "+
				"as it was answered.")
	}
	return q, nil
}

// ChangeAsPreviewed performs the change of a preview, at the cost that it showed. Faults: preview_token_invalid,
// preview_outdated, those of ChangePlan.
func (s *Service) ChangeAsPreviewed(
	ctx context.Context, by Caller, subscriptionID, token string, around Around[Performed],
) error {
	q, err := readToken(token, subscriptionID)
	if err != nil {
		return err
	}
	if err := s.checkChange(ctx, by, subscriptionID, q.Change); err != nil {
		return err
	}
	return around.transact(ctx, s, by, func(tx *db.Tx) (Performed, error) {
		cmd, err := q.Change.command(ctx, tx, by.EnvironmentID)
		if err != nil {
			return Performed{}, err
		}
		cmd.At = time.Unix(q.At, 0).UTC()
		return perform(ctx, tx, by.EnvironmentID, subscriptionID, cmd, q.apply)
	})
}

// apply is lifecycle.Apply within the time of the quote, at its cost.
func (q quoted) apply(
	found lifecycle.State, cmd lifecycle.Command, at lifecycle.Moment,
) (lifecycle.State, lifecycle.Changes, error) {
	if age := found.Time(at).Sub(time.Unix(q.At, 0)); age < 0 || age > quotedFor {
		return lifecycle.State{}, lifecycle.Changes{}, lifecycle.ErrPreviewOutdated
	}
	return lifecycle.ApplyQuoted(found, cmd, q.Quote, at)
}
