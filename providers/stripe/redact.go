package stripe

import (
	"bytes"
	"encoding/json"
)

// kept lists the fields of Stripe's answers that we store. It is a list of allowed fields, so that a field that Stripe
// adds (a name, an address, a secret) is dropped until it has been reviewed. Nested objects are filtered by the same
// list, and a listed field that is usually a reference is dropped when it arrives expanded.
var kept = map[string]bool{
	"advice_code": true, "amount": true, "amount_received": true, "canceled_at": true, "cancellation_reason": true,
	"code": true, "created": true, "currency": true, "data": true, "decline_code": true, "error": true,
	"failure_reason": true, "has_more": true, "id": true, "last_payment_error": true, "livemode": true,
	"message": true, "metadata": true, "network_decline_code": true, "object": true, "param": true,
	"payment_intent": true, "status": true, "type": true, txnKey: true,
}

// nested lists the kept fields that may hold an object; elsewhere an object is an expansion we did not ask for.
var nested = map[string]bool{
	"data": true, "error": true, "last_payment_error": true, "metadata": true, "payment_intent": true,
}

// redact returns the answer without personal data and secrets; nil where it is not a JSON object, because then its
// contents are not known.
func (s *Stripe) redact(x exchange) []byte {
	d := json.NewDecoder(bytes.NewReader(x.body))
	d.UseNumber() // amounts stay as written
	var v map[string]any
	if d.Decode(&v) != nil || v == nil {
		return nil
	}
	out, err := json.Marshal(s.keep(v))
	if err != nil {
		return nil
	}
	return out
}

func (s *Stripe) keep(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if _, isObject := value.(map[string]any); !kept[name] || (isObject && !nested[name]) {
				continue
			}
			out[name] = s.keep(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.keep(v[i])
		}
		return out
	case string:
		return s.scrub(v)
	}
	return v
}
