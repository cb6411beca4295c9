package flutterwave

import (
	"context"
	"net/url"

	"perennial/billing/money"
	"perennial/providers"
)

// LookupRefund reads the refund by its ID. Where that never reached us it searches the list of refunds for the one with
// our transaction. Only types of third parties document that refunds keep our metadata: a refund of the same charge
// without it may be ours, and then the answer is Unknown.
func (f *Flutterwave) LookupRefund(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	if in.Ref == "" {
		return f.listRefunds(ctx, in), nil
	}
	x := f.get(ctx, "/refunds/"+url.PathEscape(in.Ref), nil)
	r, ok := x.refund()
	if !ok {
		return f.refused(x, reading), nil
	}
	if err := sameTransaction(in.TransactionID, r.Meta.TransactionID); err != nil {
		return providers.Result{}, err
	}
	return f.refundResult(x, r, f.currencyOf(ctx, r.ChargeID)), nil
}

// currencyOf reads the currency of a charge, since a refund does not name it. Where that fails, the amount of the
// refund stays unsaid: its status is known all the same.
func (f *Flutterwave) currencyOf(ctx context.Context, chargeID string) money.Currency {
	c, ok := f.get(ctx, "/charges/"+url.PathEscape(chargeID), nil).charge()
	if !ok {
		return ""
	}
	return money.Currency(c.Currency)
}

func (f *Flutterwave) listRefunds(ctx context.Context, in providers.LookupRequest) providers.Result {
	refunds, last, unread := listOf[refund](ctx, f, "/refunds", "")
	if unread != nil {
		return *unread
	}
	nameless := false
	for i := range refunds {
		r := &refunds[i]
		switch {
		case in.ChargeRef != "" && r.ChargeID != in.ChargeRef:
		case r.Meta.TransactionID == in.TransactionID:
			res := f.refundResult(last, r, f.currencyOf(ctx, r.ChargeID))
			res.Response = nil // the page is about others too
			return res
		case r.Meta.TransactionID == "":
			nameless = true
		}
	}
	res := providers.Result{Outcome: providers.NotFound, HTTPStatus: last.status}
	if nameless {
		res.Outcome = providers.Unknown
		res.FailureReason = "a refund without our transaction may be this one; compare them in the Flutterwave dashboard"
	}
	return res
}
