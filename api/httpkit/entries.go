package httpkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"perennial/api/httpkit/strictjson"
	"perennial/billing/fault"
)

// Entries splits a JSON list into its entries without decoding them, so that each can be judged separately. The list is
// the one field of an object or, where field is empty, the payload. Faults: json_malformed, type_wrong, field_missing,
// field_unknown, field_repeated; out_of_range, for fewer than 1 or more than most.
func Entries(payload []byte, field string, most int) ([]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(payload))
	var entries []json.RawMessage
	var err error
	if field == "" {
		entries, err = listOf(dec, field, most)
	} else {
		entries, err = fieldOf(dec, field, most)
	}
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, strictjson.Malformed("The request body has unexpected data after the JSON value.")
	}
	if len(entries) == 0 {
		return nil, countWrong(field, most)
	}
	return entries, nil
}

func countWrong(field string, most int) error {
	return fault.New(fault.Invalid, "out_of_range", "The list must have 1 to %d entries.", most).In(field)
}

// fieldOf reads an object with one field, a list.
func fieldOf(dec *json.Decoder, field string, most int) (entries []json.RawMessage, err error) {
	token, err := dec.Token()
	if err != nil {
		return nil, strictjson.Malformed("The request body is not valid JSON.")
	}
	if token != json.Delim('{') {
		return nil, fault.New(fault.Invalid, "type_wrong", strictjson.NotAnObject)
	}
	found := false
	for dec.More() {
		token, err := dec.Token()
		name, named := token.(string)
		switch {
		case err != nil || !named:
			return nil, strictjson.Malformed("The request body is not valid JSON.")
		case name != field:
			return nil, fault.InvalidParam(
				strictjson.Clip(name), "field_unknown", "%s", unknown(strictjson.Clip(name), "field", []string{field}),
			)
		case found:
			return nil, fault.InvalidParam(field, "field_repeated", "The field occurs twice in one object. Send it once.")
		}
		found = true
		if entries, err = listOf(dec, field, most); err != nil {
			return nil, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, strictjson.Malformed("The request body is not valid JSON.")
	}
	if !found {
		return nil, fault.InvalidParam(field, "field_missing", "%s is required.", quoted(field))
	}
	return entries, nil
}

func listOf(dec *json.Decoder, field string, most int) ([]json.RawMessage, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, strictjson.Malformed("The request body is not valid JSON.")
	}
	if token != json.Delim('[') {
		return nil, fault.New(fault.Invalid, "type_wrong", "A list is expected here.").In(field)
	}
	var entries []json.RawMessage
	for dec.More() {
		var entry json.RawMessage
		if dec.Decode(&entry) != nil {
			return nil, strictjson.Malformed("The request body is not valid JSON.")
		}
		if entries = append(entries, entry); len(entries) > most {
			return nil, countWrong(field, most)
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, strictjson.Malformed("The request body is not valid JSON.")
	}
	return entries, nil
}
