package adyen

import (
	"encoding/json"

	"perennial/billing/money"
	"perennial/providers"
)

// The event codes with special rules; those of disputes are in steps.
const (
	eventAuthorisation    = "AUTHORISATION"
	eventCancellation     = "CANCELLATION"
	eventTechnicalCancel  = "TECHNICAL_CANCEL"
	eventCancelOrRefund   = "CANCEL_OR_REFUND"
	eventCaptureFailed    = "CAPTURE_FAILED"
	eventExpire           = "EXPIRE"
	eventRefund           = "REFUND"
	eventRefundFailed     = "REFUND_FAILED"
	eventRefundedReversed = "REFUNDED_REVERSED"
)

// read returns the meaning of a genuine item. An item that is not about a transaction of ours, or that changes nothing,
// names none: it is only stored.
func (a *Adyen) read(i item) providers.Callback {
	cb := providers.Callback{EventID: i.EventCode + ":" + i.PSPReference + ":" + i.Success, Type: i.EventCode}
	ref, ours := parseReference(i.MerchantReference)
	if !ours || i.MerchantAccountCode != a.merchantAccount {
		return cb
	}
	amount, currency, err := i.price()
	s := statement{item: i, op: ref.op, amount: amount, currency: currency}
	kind, result := s.proves()
	if result == nil {
		return cb
	}
	cb.TransactionID, cb.Ref = ref.transactionID, result.Ref
	if err != nil { // such as a currency whose decimals at Adyen are not known: a person must look
		kind, result = providers.KindUnknown, &providers.Result{
			Outcome: result.Outcome, Ref: result.Ref, Amount: providers.UnreadableAmount,
		}
	}
	result.Response = i.record()
	cb.Kind, cb.Evidence, cb.NeedsRef = kind, result, s.superseded()
	return cb
}

func (i item) price() (money.Minor, money.Currency, error) {
	value, err := i.Amount.Value.Int64()
	if err != nil {
		return 0, "", err
	}
	return fromWire(amount{Currency: i.Amount.Currency, Value: value})
}

// payment is the pspReference of the payment that an item is about.
func (i item) payment() string {
	if i.OriginalReference != "" {
		return i.OriginalReference
	}
	return i.PSPReference
}

// record returns the signed fields of an item, which alone are stored.
func (i item) record() []byte {
	out, err := json.Marshal(map[string]any{
		"amount": i.Amount, "eventCode": i.EventCode, "merchantReference": i.MerchantReference,
		"originalReference": i.OriginalReference, "pspReference": i.PSPReference, "success": i.Success,
	})
	if err != nil {
		return nil
	}
	return out
}

// explained is the item's reason where it is one of Adyen's published texts. Nothing signs it.
func (i item) explained(otherwise string) string {
	if texts[i.Reason] {
		return i.Reason
	}
	return otherwise
}
