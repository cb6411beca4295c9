package pawapay

import (
	"context"
	"net/http"
	"net/url"

	"perennial/billing/fault"
	"perennial/providers"
)

// LookupCharge reads the deposit, by the reference or by the key of the send. pawaPay has no list of a deposit's
// refunds and knows no disputes, so Since adds nothing. Error: `provider_reference_mismatch` (fault.Conflict) if the
// deposit is another transaction's.
func (p *PawaPay) LookupCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	return p.lookupBy(ctx, deposits, in)
}

// lookupBy finds an operation by what we named it: reference and key are the same name.
func (p *PawaPay) lookupBy(ctx context.Context, k kind, in providers.LookupRequest) (providers.Result, error) {
	id := in.Ref
	if id == "" {
		var ok bool
		if id, ok = toOperationID(in.Key); !ok {
			return providers.Result{
				Outcome:       providers.Unknown,
				FailureReason: "pawaPay finds an operation only by its key, a UUIDv5, or by its own reference",
			}, nil
		}
	}
	return p.lookup(ctx, k, id, in.TransactionID)
}

func (p *PawaPay) lookup(ctx context.Context, k kind, id, transactionID string) (providers.Result, error) {
	x := p.get(ctx, k.path+"/"+url.PathEscape(id))
	res := p.result(x)
	found, ok := decode[lookup](x)
	if !ok || x.status != http.StatusOK {
		res = p.unanswered(res, x, reading)
		if answer, ok := decode[record](x); ok {
			if code, message := answer.why(); code != "" {
				res.FailureReason = p.reason(code, message)
			}
		}
		return res, nil
	}
	switch {
	case found.Status == "NOT_FOUND":
		res.Outcome = providers.NotFound
		return res, nil
	case found.Status != "FOUND" || k.id(found.Data) != id:
		return p.unanswered(res, x, reading), nil
	}
	// Guards against a reference that was mixed up: settling one invoice with another's payment.
	if got := found.Data.transactionID(); got != "" && got != transactionID {
		return providers.Result{}, fault.New(fault.Conflict, "provider_reference_mismatch",
			"The provider's reference belongs to transaction %s, not %s.", got, transactionID)
	}
	return p.described(res, k, found.Data), nil
}
