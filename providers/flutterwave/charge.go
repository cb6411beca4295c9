package flutterwave

import (
	"context"
	"encoding/json"
	"strings"

	"perennial/billing/fault"
	"perennial/providers"
)

// Charge takes money from a saved card without its owner, or sends a prompt to the owner of a phone. Errors:
// `amount_not_positive`, `amount_not_representable`, `currency_unsupported`, `payment_method_unsupported`,
// `payment_method_missing`, `payment_method_invalid`, `payment_method_currency_mismatch`, `provider_request_invalid`
// (all fault.Invalid, nothing was sent) and `provider_key_reused` (fault.Conflict).
func (f *Flutterwave) Charge(ctx context.Context, in providers.ChargeRequest) (providers.Result, error) {
	common, key, err := commonOf(in)
	if err != nil {
		return providers.Result{}, err
	}
	operator, isMobileMoney := strings.CutPrefix(in.Method.Type, providers.MobileMoney)
	var x exchange
	switch {
	case in.Method.Type == "card":
		body, err := cardCharge(in, common)
		if err != nil {
			return providers.Result{}, err
		}
		x = f.post(ctx, "/charges", body, key)
	case isMobileMoney && validOperator(operator):
		body, err := mobileMoneyCharge(in, operator, common)
		if err != nil {
			return providers.Result{}, err
		}
		x = f.post(ctx, "/orchestration/direct-charges", body, key)
	default:
		return providers.Result{}, fault.InvalidParam("paymentMethod", "payment_method_unsupported",
			"Flutterwave charges saved cards and mobile money, not %.60q. Use another method or provider.", in.Method.Type)
	}
	c, ok := x.charge()
	if !ok {
		return f.refusedSend(x, charging, in.Repeat), nil
	}
	res := f.chargeResult(x, c)
	if x.cached && !sameRequest(in, c, res) {
		return res, keyReused()
	}
	return res, nil
}

// chargeFields are common to both ways of charging.
type chargeFields struct {
	Amount      json.Number `json:"amount"`
	Currency    string      `json:"currency"`
	Reference   string      `json:"reference"`
	RedirectURL string      `json:"redirect_url,omitempty"`
	Meta        attached    `json:"meta"`
}

func commonOf(in providers.ChargeRequest) (common chargeFields, key string, err error) {
	if err := checkIdentity(in.TransactionID); err != nil {
		return chargeFields{}, "", err
	}
	if key, err = wireKey(in.Key); err != nil {
		return chargeFields{}, "", err
	}
	amount, err := toWire(in.Amount, in.Currency)
	if err != nil {
		return chargeFields{}, "", err
	}
	return chargeFields{
		Amount: amount, Currency: string(in.Currency), Reference: key, RedirectURL: in.ReturnURL,
		Meta: attached{TransactionID: in.TransactionID, Description: in.Description},
	}, key, nil
}

// sameRequest compares an answer that was given before with the request that it answers now.
func sameRequest(in providers.ChargeRequest, c *charge, res providers.Result) bool {
	return (c.Meta.TransactionID == "" || c.Meta.TransactionID == in.TransactionID) &&
		(res.Currency == "" || (res.Amount == in.Amount && res.Currency == in.Currency))
}

// keyReused is a bug of ours that must reach a person: the money of the first use of the key may have moved, so it is
// not a failure of the payment either.
func keyReused() error {
	return fault.New(fault.Conflict, "provider_key_reused",
		"The idempotency key was used before with other parameters. Look up its first use before any other action.")
}
