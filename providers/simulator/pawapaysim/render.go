package pawapaysim

import (
	"encoding/json"
	"strings"
	"time"

	"perennial/providers/simulator/core"
)

// number is a telephone number that ends as the payer's does: bait for a redaction that is not careful.
func (x *deposit) number() string {
	for _, o := range operators {
		if o.code == x.Operator {
			return o.calling + "788000" + x.Suffix
		}
	}
	return ""
}

func (x *deposit) account() map[string]any {
	return map[string]any{
		"type": "MMO", "accountDetails": map[string]any{"phoneNumber": x.number(), "provider": x.Operator},
	}
}

func (x *deposit) country() string {
	for _, o := range operators {
		if o.code == x.Operator {
			return o.country
		}
	}
	return ""
}

// render gives the deposit as look-ups and callbacks do.
func (x *deposit) render() map[string]any {
	out := map[string]any{
		"depositId": x.ID, "status": x.Status, "amount": twoPlaces(x.Amount), "currency": x.Currency,
		"country": x.country(), "payer": x.account(), "customerMessage": x.Message, "clientReferenceId": x.Reference,
		"created": x.Created.Format(time.RFC3339), "metadata": x.Metadata,
	}
	if x.Status == completed {
		out["providerTransactionId"] = "SIM" + strings.ToUpper(x.ID[:8])
	}
	if x.FailureCode != "" {
		out["failureReason"] = reason{x.FailureCode, messages[x.FailureCode]}
	}
	return out
}

func (r *refund) render() map[string]any {
	out := map[string]any{
		"refundId": r.ID, "status": r.Status, "amount": twoPlaces(r.Amount), "currency": r.Currency,
		"recipient":         map[string]any{"type": "MMO", "accountDetails": map[string]any{"phoneNumber": "250788000789"}},
		"clientReferenceId": r.Reference, "created": r.Created.Format(time.RFC3339), "metadata": r.Metadata,
	}
	if r.FailureCode != "" {
		out["failureReason"] = reason{r.FailureCode, "The refund could not be paid out."}
	}
	return out
}

// twoPlaces returns an amount as pawaPay reports it, whatever the operator's decimals.
func twoPlaces(amount string) string {
	whole, fraction, _ := strings.Cut(amount, ".")
	return whole + "." + (fraction + "00")[:2]
}

// message freezes an object as it is now. pawaPay's messages have no ID; this one is for the log.
func message(kind, id, status string, object map[string]any) core.Message {
	body, _ := json.Marshal(object) // maps of plain values always marshal
	name := kind + "." + strings.ToLower(status)
	return core.Message{ID: id + ":" + status, Type: name, Asynchronous: true, Body: body}
}

func (x *deposit) message() core.Message { return message("deposit", x.ID, x.Status, x.render()) }
func (r *refund) message() core.Message  { return message("refund", r.ID, r.Status, r.render()) }
