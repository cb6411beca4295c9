package pawapay

import (
	"context"

	"perennial/providers"
)

// Charge sends the payer a prompt; the money moves when a PIN answers it, so the best outcome is Pending. Errors:
// `payment_method_unsupported`, `payment_method_missing`, `payment_method_phone_invalid`,
// `payment_method_cannot_renew`, `payment_method_currency_mismatch`, `amount_not_positive`, `amount_not_representable`,
// `provider_request_invalid` (all fault.Invalid, nothing was sent) and `provider_key_reused` (fault.Conflict).
func (p *PawaPay) Charge(ctx context.Context, in providers.ChargeRequest) (providers.Result, error) {
	payer, err := walletOf(in.Method)
	if err != nil {
		return providers.Result{}, err
	}
	id, err := operationID(in.TransactionID, in.Key)
	if err != nil {
		return providers.Result{}, err
	}
	terms, refused, err := payer.termsOf(p.conditions(ctx), in.Currency)
	if err != nil {
		return providers.Result{}, err
	}
	amount, err := toWire(in.Amount, in.Currency, terms.decimals, payer.code)
	if err != nil {
		return providers.Result{}, err
	}
	o := order{
		id: id, transactionID: in.TransactionID, amount: in.Amount, currency: in.Currency,
		body: depositOf(in, id, amount, payer),
	}
	if refused != nil {
		return *refused, nil
	}
	if beyond := terms.outOfBounds(in.Amount, in.Currency, payer.code); beyond != nil {
		return p.rejected(ctx, deposits, o, *beyond) // the bounds may have changed since an earlier send
	}
	return p.initiate(ctx, deposits, o)
}

func depositOf(in providers.ChargeRequest, id, amount string, payerWallet wallet) depositRequest {
	body := depositRequest{
		DepositID: id, Amount: amount, Currency: string(in.Currency),
		Payer: payer{Type: "MMO", AccountDetails: accountDetails{
			PhoneNumber: payerWallet.number, Provider: payerWallet.code,
		}},
		ClientReferenceID: in.TransactionID,
		CustomerMessage:   customerMessage(in.Description),
		Metadata:          []map[string]string{{txnKey: in.TransactionID}},
	}
	if in.Description != "" { // the whole of it, which the prompt has no room for
		body.Metadata = append(body.Metadata, map[string]string{descriptionKey: in.Description})
	}
	return body
}
