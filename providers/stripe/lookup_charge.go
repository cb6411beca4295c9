package stripe

import (
	"context"
	"net/url"
	"strings"

	"perennial/billing/fault"
	"perennial/providers"
)

// LookupCharge reads the payment intent by its ID, or searches for our transaction ID where the ID never reached us.
// Stripe's search index lags about a minute, in outages an hour, so a NotFound without a Ref is weak evidence while
// the charge is young. Error: `provider_reference_mismatch` (fault.Conflict) if the intent is another transaction's.
func (s *Stripe) LookupCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	if in.Ref == "" {
		return s.searchCharge(ctx, in)
	}
	x := s.get(ctx, "/v1/payment_intents/"+url.PathEscape(in.Ref), nil)
	pi, ok := x.intent()
	if !ok {
		return s.refused(x, reading)
	}
	if err := sameTransaction(in.TransactionID, pi.Metadata); err != nil {
		return providers.Result{}, err
	}
	res := s.settled(ctx, x, pi)
	if in.Since && res.Outcome == providers.Succeeded {
		return s.withSince(ctx, res), nil
	}
	return res, nil
}

func (s *Stripe) searchCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	x := s.get(ctx, "/v1/payment_intents/search", url.Values{
		"query": {"metadata['" + txnKey + "']:'" + escapeQuery(in.TransactionID) + "'"},
		"limit": {"100"},
	})
	found, ok := object(x, func(p *page[intent]) string { return p.Object }, "search_result")
	if !ok {
		return s.refused(x, reading)
	}
	pi := mostTelling(found.Data, in.TransactionID)
	if pi == nil {
		return providers.Result{Outcome: providers.NotFound, HTTPStatus: x.status, Response: s.redact(x)}, nil
	}
	res := s.settled(ctx, x, pi)
	if in.Since && res.Outcome == providers.Succeeded {
		return s.withSince(ctx, res), nil
	}
	return res, nil
}

// mostTelling returns the intent that decides about the transaction. There should be one; if a key was repeated after
// Stripe forgot it there are more, and then one that moved money, or may yet, outweighs any that did not.
func mostTelling(found []intent, transactionID string) *intent {
	var best *intent
	for i := range found {
		pi := &found[i]
		if pi.Metadata[txnKey] != transactionID { // the index may fold case
			continue
		}
		if best == nil || weight(pi) > weight(best) || (weight(pi) == weight(best) && pi.Created < best.Created) {
			best = pi
		}
	}
	return best
}

func weight(pi *intent) int {
	switch pi.Status {
	case "succeeded":
		return 2
	case "processing", "requires_capture":
		return 1
	}
	return 0
}

func escapeQuery(s string) string {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s)
}

// sameTransaction guards against a reference that was mixed up: settling one invoice with another's payment.
func sameTransaction(transactionID string, metadata map[string]string) error {
	if got := metadata[txnKey]; got != "" && got != transactionID {
		return fault.New(fault.Conflict, "provider_reference_mismatch",
			"The provider's reference belongs to transaction %s, not %s.", got, transactionID)
	}
	return nil
}
