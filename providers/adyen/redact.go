package adyen

import (
	"bytes"
	"encoding/json"
	"strings"

	"perennial/providers/wire"
)

// kept lists the fields of Adyen's answers that we store. It is a list of allowed fields, so that data that an account
// enables (additionalData with a holder's name, card digits, an e-mail address) is dropped.
var kept = map[string]bool{
	"amount": true, "currency": true, "errorCode": true, "errorType": true, "merchantReference": true, "message": true,
	"paymentPspReference": true, "paymentReference": true, "pspReference": true, "reference": true, "refusalReason": true,
	"refusalReasonCode": true, "resultCode": true, "status": true, "value": true,
}

// redact returns the answer without personal data and secrets; nil where it is not a JSON object, because then its
// contents are not known.
func (a *Adyen) redact(x exchange) []byte {
	d := json.NewDecoder(bytes.NewReader(x.body))
	d.UseNumber() // amounts stay as written
	var v map[string]any
	if d.Decode(&v) != nil || v == nil {
		return nil
	}
	out, err := json.Marshal(a.keep(v))
	if err != nil {
		return nil
	}
	return out
}

func (a *Adyen) keep(object map[string]any) map[string]any {
	out := make(map[string]any, len(object))
	for name, value := range object {
		if !kept[name] {
			continue
		}
		switch value := value.(type) {
		case map[string]any:
			if name == "amount" {
				out[name] = a.keep(value)
			}
		case []any: // none of the kept fields is a list
		case string:
			out[name] = a.scrub(value)
		default:
			out[name] = value
		}
	}
	return out
}

// scrub is the last line of defence for sentences that come from elsewhere.
func (a *Adyen) scrub(text string) string {
	return strings.ReplaceAll(text, a.apiKey.Reveal(), wire.Redacted)
}
