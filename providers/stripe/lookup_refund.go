package stripe

import (
	"context"
	"net/url"

	"perennial/providers"
)

// refundPages bounds a look-up without any reference: 1,000 refunds back in time.
const refundPages = 10

// LookupRefund reads the refund by its ID. Where that never reached us it reads the list of refunds (of the charge, if
// ChargeRef is given), since Stripe has no search for refunds; unlike the search index the list does not lag. If the
// list is longer than we are willing to read the answer is Unknown, not NotFound.
func (s *Stripe) LookupRefund(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	if in.Ref == "" {
		return s.listRefunds(ctx, in)
	}
	x := s.get(ctx, "/v1/refunds/"+url.PathEscape(in.Ref), nil)
	r, ok := x.refund()
	if !ok {
		return s.refused(x, reading)
	}
	if err := sameTransaction(in.TransactionID, r.Metadata); err != nil {
		return providers.Result{}, err
	}
	return s.refundResult(x, r), nil
}

func (s *Stripe) listRefunds(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	query := url.Values{"limit": {"100"}}
	if in.ChargeRef != "" {
		query.Set("payment_intent", in.ChargeRef)
	}
	for range refundPages {
		x := s.get(ctx, "/v1/refunds", query)
		list, ok := object(x, func(p *page[refund]) string { return p.Object }, "list")
		if !ok {
			return s.refused(x, reading)
		}
		for i := range list.Data {
			if list.Data[i].Metadata[txnKey] == in.TransactionID {
				return s.refundResult(x, &list.Data[i]), nil
			}
		}
		if !list.HasMore || len(list.Data) == 0 {
			return providers.Result{Outcome: providers.NotFound, HTTPStatus: x.status, Response: s.redact(x)}, nil
		}
		query.Set("starting_after", list.Data[len(list.Data)-1].ID)
	}
	return providers.Result{
		Outcome:       providers.Unknown,
		FailureReason: "the refund is not among the account's latest 1,000; look it up with the reference of its charge",
	}, nil
}
