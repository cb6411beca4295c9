package subscriptions

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/billing/foresight"
	"perennial/billing/lifecycle"
	"perennial/db"
	"perennial/service/usecase"
)

// quotedFor is the time for which a command keeps its previewed cost, in the subscription's time.
const quotedFor = 30 * time.Minute

// quoted is the contents of a preview token: the time from which a command is prorated, and a digest of its cost. It
// does not have the command, which the redeeming request sends. It is not sealed: a forged token is refused unless the
// forger knows its cost (ADR 44).
type quoted struct {
	at     time.Time
	digest []byte
}

// ExpiresAt returns the end of a preview's token.
func (p Previewed) ExpiresAt() time.Time {
	if p.Token == "" {
		return time.Time{}
	}
	return p.At.Truncate(time.Second).Add(quotedFor)
}

// newToken returns the token of a quote, in a form that needs no escaping in JSON and URLs.
func newToken(at time.Time, q foresight.Quote) (string, error) {
	digest, err := digestOf(q)
	return strconv.FormatInt(at.Unix(), 36) + "." + base64.RawURLEncoding.EncodeToString(digest), err
}

func digestOf(q foresight.Quote) ([]byte, error) {
	raw, err := json.Marshal(q)
	sum := sha256.Sum256(raw)
	return sum[:], err
}

// readToken reads a token. Fault: preview_token_invalid.
func readToken(token string) (quoted, error) {
	begin, rest, _ := strings.Cut(token, ".")
	at, err := strconv.ParseInt(begin, 36, 64)
	digest, wrong := base64.RawURLEncoding.DecodeString(rest)
	if err != nil || wrong != nil || len(digest) != sha256.Size {
		return quoted{}, fault.InvalidParam("previewToken", "preview_token_invalid",
			"`previewToken` is malformed. Send the token of POST /subscriptions/{id}/preview as it was answered.")
	}
	return quoted{at: time.Unix(at, 0).UTC(), digest: digest}, nil
}

// PerformAsPreviewed performs the command of a preview at the cost that it showed. Faults: preview_token_invalid,
// preview_outdated, those of the command.
func (s *Service) PerformAsPreviewed(
	ctx context.Context, by usecase.Caller, subscriptionID, token string, what Preview,
	around usecase.Around[usecase.Performed],
) error {
	q, err := readToken(token)
	if err != nil {
		return err
	}
	if err := s.checkPreviewed(ctx, by, subscriptionID, what); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (usecase.Performed, error) {
		cmd, err := what.command(ctx, tx, by.EnvironmentID)
		if err != nil {
			return usecase.Performed{}, err
		}
		return usecase.Perform(ctx, tx, by.EnvironmentID, subscriptionID, lifecycle.AsOf(cmd, q.at), q.apply)
	})
}

// apply is lifecycle.Apply within the time of the quote, at its cost.
func (q quoted) apply(
	found lifecycle.State, cmd lifecycle.Command, at lifecycle.Moment,
) (lifecycle.State, lifecycle.Changes, error) {
	if age := found.Time(at).Sub(q.at); age < 0 || age > quotedFor {
		return lifecycle.State{}, lifecycle.Changes{}, foresight.ErrPreviewOutdated
	}
	return foresight.ApplyQuoted(found, cmd, func(now foresight.Quote) bool {
		digest, err := digestOf(now)
		return err == nil && subtle.ConstantTimeCompare(digest, q.digest) == 1
	}, at)
}
