package flutterwave

import (
	"context"
	"net/url"

	"perennial/billing/fault"
	"perennial/providers"
)

// LookupCharge reads the charge by its ID, or by the reference that we gave it where the ID never reached us. Error:
// `provider_reference_mismatch` (fault.Conflict) if the charge is another transaction's.
func (f *Flutterwave) LookupCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	var x exchange
	var c *charge
	if in.Ref == "" {
		var res providers.Result
		if x, c, res = f.byReference(ctx, in); c == nil {
			return res, nil
		}
	} else {
		var ok bool
		x = f.get(ctx, "/charges/"+url.PathEscape(in.Ref), nil)
		if c, ok = x.charge(); !ok {
			return f.refused(x, reading), nil
		}
	}
	if err := sameTransaction(in.TransactionID, c.Meta.TransactionID); err != nil {
		return providers.Result{}, err
	}
	res := f.chargeResult(x, c)
	if in.Since && res.Outcome == providers.Succeeded {
		return f.withSince(ctx, res, c), nil
	}
	return res, nil
}

// byReference asks for the charges with our reference. That the list takes this filter is known from third parties
// only: a list that shows other charges did not take it, and then says nothing about ours. Where there is no charge,
// the result says why.
func (f *Flutterwave) byReference(
	ctx context.Context, in providers.LookupRequest,
) (exchange, *charge, providers.Result) {
	reference, err := wireKey(in.Key)
	if err != nil {
		return exchange{}, nil, providers.Result{
			Outcome: providers.Unknown, FailureReason: "the charge has no reference at Flutterwave to be found by",
		}
	}
	x := f.get(ctx, "/charges", url.Values{"reference": {reference}})
	found, ok := object(x, func(*[]charge) bool { return true })
	if !ok {
		res := f.refused(x, reading)
		if res.Outcome == providers.NotFound { // of the list, not of the charge
			res.Outcome = providers.Unknown
		}
		return x, nil, res
	}
	var best *charge
	for i := range *found {
		c := &(*found)[i]
		if c.Reference == reference && c.ID != "" && (best == nil || c.weight() > best.weight()) {
			best = c
		}
	}
	res := providers.Result{Outcome: providers.NotFound, HTTPStatus: x.status, Response: f.redact(x)}
	if best == nil && len(*found) > 0 {
		res.Outcome, res.FailureReason = providers.Unknown, "the list of charges was not filtered by our reference"
		res.Response = nil // it is about other payments
	}
	return x, best, res
}

// weight decides among several charges with one reference: one that moved money, or may yet, outweighs any that did
// not. There should be only one.
func (c *charge) weight() int {
	switch c.Status {
	case "succeeded":
		return 2
	case "failed", "voided":
		return 0
	}
	return 1
}

// sameTransaction guards against a reference that was mixed up: settling one invoice with another's payment.
func sameTransaction(transactionID, got string) error {
	if got != "" && got != transactionID {
		return fault.New(fault.Conflict, "provider_reference_mismatch",
			"The provider's reference belongs to transaction %s, not %s.", got, transactionID)
	}
	return nil
}
