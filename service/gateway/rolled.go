package gateway

import (
	"context"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/providers"
)

// rolled is an adapter whose callback secret was replaced: callbacks signed with an earlier one still verify for a
// while, since the secret is changed there and here at different moments. Everything else uses the current credentials.
type rolled struct {
	providers.Provider
	earlier []earlier // the newest first
}

// earlier is the adapter of a replaced version. until bounds it in real time, however long the adapter is kept.
type earlier struct {
	providers.Provider
	until time.Time
}

// ParseCallback verifies with the current secret, then with earlier ones. Faults: those of the current adapter.
func (r rolled) ParseCallback(
	ctx context.Context, in providers.CallbackRequest, now time.Time,
) ([]providers.Callback, providers.Acknowledgement, error) {
	messages, ack, err := r.Provider.ParseCallback(ctx, in, now)
	for _, e := range r.earlier {
		if err == nil || fault.From(err).Kind != fault.Unauthorized || !now.Before(e.until) {
			break
		}
		if again, acknowledged, ok := e.ParseCallback(ctx, in, now); ok == nil {
			return again, acknowledged, nil
		}
	}
	return messages, ack, err
}

// earlier returns adapters of the replaced versions whose callback secret differs. A version that does not open
// verifies nothing: that must not stop the payments of the current one.
func (g *Gateway) earlier(c db.ProviderConfig, current Credentials) (found []earlier) {
	// An empty secret must not verify: where a provider need not sign, it would accept any message.
	seen := []string{current[FieldWebhookSecret], ""}
	for i := 1; i < len(c.Credentials); i++ {
		replaced, err := unseal(g.config.Vault, c, c.Credentials[i])
		if err != nil || slices.Contains(seen, replaced[FieldWebhookSecret]) {
			continue
		}
		seen = append(seen, replaced[FieldWebhookSecret])
		// Only the secret is the earlier one: if the verification has to ask the provider, it needs valid keys.
		with := current.With(Credentials{FieldWebhookSecret: replaced[FieldWebhookSecret]})
		if adapter, err := g.adapter(c.Provider, c.Mode, with); err == nil {
			found = append(found, earlier{adapter, c.Credentials[i-1].CreatedAt.Add(db.SecretOverlap)})
		}
	}
	return found
}
