package flutterwave

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"perennial/providers/wire"
)

// kept lists the fields of Flutterwave's answers that we store. It is a list of allowed fields, so that a field that
// Flutterwave adds (a name, an address, a secret) is dropped until it has been reviewed.
var kept = map[string]bool{
	"amount": true, "amount_refunded": true, "charge_id": true, "code": true, "created_datetime": true,
	"currency": true, "data": true, "disputed": true, "error": true, "field_name": true, "id": true, "message": true,
	"meta": true, "next_action": true, "page_info": true, "processor_response": true, "reason": true, "reference": true,
	"refunded": true, "status": true, "total": true, "total_pages": true, "type": true, "validation_errors": true,
	txnKey: true,
}

// nested lists the kept fields that may hold an object.
var nested = map[string]bool{
	"data": true, "error": true, "meta": true, "next_action": true, "page_info": true, "processor_response": true,
}

// sentences are the kept fields whose text comes from elsewhere and may repeat what we sent.
var sentences = map[string]bool{"field_name": true, "message": true, "reason": true, "type": true}

// redact returns the answer without personal data and secrets; nil where it is not a JSON object, because then its
// contents are not known.
func (f *Flutterwave) redact(x exchange) []byte {
	d := json.NewDecoder(bytes.NewReader(x.body))
	d.UseNumber() // amounts stay as written
	var v map[string]any
	if d.Decode(&v) != nil || v == nil {
		return nil
	}
	out, err := json.Marshal(f.keep("", v))
	if err != nil {
		return nil
	}
	return out
}

func (f *Flutterwave) keep(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if _, isObject := value.(map[string]any); !kept[name] || (isObject && !nested[name]) {
				continue
			}
			out[name] = f.keep(name, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = f.keep(name, v[i])
		}
		return out
	case string:
		if sentences[name] {
			return f.scrub(v)
		}
		return f.hide(v)
	}
	return v
}

var (
	address = regexp.MustCompile(`[^\s"'<>:;,]+@[^\s"'<>:;,]+`)
	digits  = regexp.MustCompile(`\+?[0-9][0-9 -]{5,}[0-9]`)
)

// scrub removes secrets, addresses and possible phone or card numbers from sentences of others.
func (f *Flutterwave) scrub(text string) string {
	return digits.ReplaceAllString(address.ReplaceAllString(f.hide(text), wire.Redacted), wire.Redacted)
}

// hide is the last line of defence for the account's own secrets.
func (f *Flutterwave) hide(text string) string {
	for _, s := range []wire.Secret{f.clientSecret, f.webhookSecret, f.tokens.kept()} {
		if s.Reveal() != "" {
			text = strings.ReplaceAll(text, s.Reveal(), wire.Redacted)
		}
	}
	return text
}
