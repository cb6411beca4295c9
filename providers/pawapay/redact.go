package pawapay

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"perennial/providers/wire"
)

// kept lists the fields of pawaPay's answers that we store. It is a list of allowed fields, so that a field that
// pawaPay adds (a name, a number) is dropped until it has been reviewed. Nested objects are filtered by the same list,
// so the payer's account keeps its operator and loses its telephone number.
var kept = map[string]bool{
	"accountDetails": true, "amount": true, "country": true, "created": true, "currency": true, "data": true,
	"depositId": true, "failureCode": true, "failureMessage": true, "failureReason": true, "metadata": true,
	"nextStep": true, "payer": true, "provider": true, "providerTransactionId": true, "recipient": true,
	"refundId": true, "rejectionCode": true, "rejectionMessage": true, "rejectionReason": true, "status": true,
	txnKey: true,
}

// prose are the kept fields that a person wrote a sentence in, which may quote a telephone number.
var prose = map[string]bool{"failureMessage": true, "rejectionMessage": true}

// redact returns the answer without personal data and secrets; nil where it is not a JSON object, because then its
// contents are not known.
func (p *PawaPay) redact(x exchange) []byte {
	d := json.NewDecoder(bytes.NewReader(x.body))
	d.UseNumber() // amounts stay as written
	var v map[string]any
	if d.Decode(&v) != nil || v == nil {
		return nil
	}
	out, err := json.Marshal(p.keep(v, ""))
	if err != nil {
		return nil
	}
	return out
}

func (p *PawaPay) keep(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for field, value := range v {
			if kept[field] {
				out[field] = p.keep(value, field)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = p.keep(v[i], name)
		}
		return out
	case string:
		if prose[name] {
			return p.scrub(v)
		}
		return p.unsecret(v)
	}
	return v
}

// telephone is a run of digits as long as a telephone number, with the separators that people put into one.
var telephone = regexp.MustCompile(`\+?[0-9](?:[ \-.]?[0-9]){7,14}`)

// scrub is the last line of defence for sentences that come from elsewhere.
func (p *PawaPay) scrub(text string) string {
	return telephone.ReplaceAllString(p.unsecret(text), wire.Redacted)
}

func (p *PawaPay) unsecret(text string) string {
	return strings.ReplaceAll(text, p.apiToken.Reveal(), wire.Redacted)
}
