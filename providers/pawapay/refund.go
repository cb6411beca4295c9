package pawapay

import (
	"context"

	"perennial/billing/fault"
	"perennial/providers"
)

// Refund refunds a completed deposit. pawaPay works on one refund of a deposit at a time: until it has ended another is
// NotSent. Errors: `amount_not_positive`, `amount_not_representable`, `provider_request_invalid` (all fault.Invalid,
// nothing was sent) and `provider_key_reused` (fault.Conflict).
func (p *PawaPay) Refund(ctx context.Context, in providers.RefundRequest) (providers.Result, error) {
	if in.ChargeRef == "" {
		return providers.Result{}, fault.New(fault.Invalid, "provider_request_invalid",
			"A refund needs the provider's reference of its charge (the depositId).")
	}
	id, err := operationID(in.TransactionID, in.Key)
	if err != nil {
		return providers.Result{}, err
	}
	amount, err := toWire(in.Amount, in.Currency, wireDecimals, "pawaPay")
	if err != nil {
		return providers.Result{}, err
	}
	return p.initiate(ctx, refunds, order{
		id: id, transactionID: in.TransactionID, amount: in.Amount, currency: in.Currency,
		body: refundOf(in, id, amount),
	})
}

// wireDecimals is the most that pawaPay takes. The request does not name the operator that pays a refund out, so the
// operator's decimals cannot be checked here: pawaPay refuses an amount that it cannot pay.
const wireDecimals = 2

// refundOf always names amount and currency: without them pawaPay refunds whatever is left, which may be more than we
// meant.
func refundOf(in providers.RefundRequest, id, amount string) refundRequest {
	return refundRequest{
		RefundID: id, DepositID: in.ChargeRef, Amount: amount, Currency: string(in.Currency),
		ClientReferenceID: in.TransactionID, Metadata: []map[string]string{{txnKey: in.TransactionID}},
	}
}
