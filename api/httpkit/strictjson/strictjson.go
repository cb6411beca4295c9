// Package strictjson refuses JSON that two parsers would read differently, and names the place. It knows no shapes.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/text"
)

// maxDepth is far deeper than any request of ours and far shallower than what would exhaust a stack.
const maxDepth = 32

// MaxValues bounds the values of one body. It is far more than any request of ours holds, and keeps the check of each
// from filling the memory with complaints.
const MaxValues = 2000

// maxDecimal bounds the digits of a number that may have a fraction.
const maxDecimal = 40

// Check refuses what encoding/json forgives and two parsers would read differently: repeated fields, NUL, broken
// UTF-8, explicit null, numbers beyond any type of ours, anything behind the value. Fields are named by their path. The
// values of metadata are the caller's own: null and fractions are fine there. Faults: json_malformed, type_wrong,
// out_of_range, field_repeated, text_invalid, body_too_complex.
func Check(body []byte) error { return CheckOf(body, MaxValues) }

// CheckOf is Check with another bound of values.
func CheckOf(body []byte, most int) error {
	if !utf8.Valid(body) {
		return Malformed("The request body is not valid UTF-8.")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	// As digits: a float64 would round an amount beyond 2^53 before it could be refused.
	dec.UseNumber()
	if err := (&checker{Decoder: dec, most: most}).checkValue(nil, 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Malformed("The request body has unexpected data after the JSON value.")
	}
	return nil
}

// place is the position of a value. It becomes a string only for a fault, so that a long name above many values costs
// nothing.
type place struct {
	parent *place
	name   string
	index  int // in an array; name is empty there
}

func (p *place) String() string {
	if p == nil {
		return ""
	}
	if p.name == "" {
		return p.parent.String() + "[" + strconv.Itoa(p.index) + "]"
	}
	return Clip(Join(p.parent.String(), Clip(p.name)))
}

// isNote reports whether the value is the caller's own: one of metadata, or of the properties of a usage record, which
// are the data of a CloudEvent.
func (p *place) isNote() bool {
	if p == nil || p.parent == nil {
		return false
	}
	return p.isOfMetadata() || p.parent.name == "properties" || p.parent.name == "data"
}

func (p *place) isOfMetadata() bool { return p.parent.parent == nil && p.parent.name == "metadata" }

// checker counts the values that it has read.
type checker struct {
	*json.Decoder
	values, most int
}

func (dec *checker) checkValue(at *place, depth int) error {
	if dec.values++; dec.values > dec.most {
		return fault.New(fault.Invalid, "body_too_complex",
			"The request body is too complex. Send at most %d JSON values.", dec.most)
	}
	token, err := dec.Token()
	if err != nil {
		return Malformed("The request body is not valid JSON.")
	}
	if at.isNote() {
		return checkNote(token, at)
	}
	if s, ok := token.(string); ok {
		return checkOurs(s, at)
	}
	switch t := token.(type) {
	case json.Delim:
		if depth >= maxDepth {
			return Malformed("The request body is nested too deeply. Send at most %d levels.", maxDepth)
		}
		if t == '{' {
			return dec.checkObject(at, depth+1)
		}
		return dec.checkArray(at, depth+1)
	case json.Number:
		return checkNumber(t, at)
	case nil:
		if at == nil {
			return fault.New(fault.Invalid, "type_wrong", NotAnObject)
		}
		return fault.InvalidParam(at.String(), "type_wrong",
			"The field cannot be null. Send a value, or omit the field.")
	}
	return nil
}

// checkNote accepts any value that is not nested. Every parser must be able to read a number: ours checks requests as
// floating-point numbers, though the digits are kept.
func checkNote(token json.Token, at *place) error {
	switch t := token.(type) {
	case json.Delim:
		if !at.isOfMetadata() {
			return fault.InvalidParam(at.String(), "type_wrong",
				"The value must be a string, a number, true, false or null. Lists and objects are not taken here.")
		}
		return metadata.ErrNested.In(at.String())
	case string:
		return checkString(t, at)
	case json.Number:
		if _, err := t.Float64(); err != nil {
			return fault.InvalidParam(at.String(), "out_of_range",
				"The number exceeds the range of a floating-point number. Send it as a string.")
		}
	}
	return nil
}

func (dec *checker) checkObject(at *place, depth int) error {
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return Malformed("The request body is not valid JSON.")
		}
		field := &place{parent: at, name: name}
		if err := checkString(name, at); err != nil {
			return err
		}
		// encoding/json takes the last one. A proxy or an audit log in front of us may have judged the first.
		if seen[name] {
			return fault.InvalidParam(field.String(), "field_repeated",
				"The field occurs twice in one object. Send it once.")
		}
		seen[name] = true
		if err := dec.checkValue(field, depth); err != nil {
			return err
		}
	}
	return dec.closing()
}

func (dec *checker) checkArray(at *place, depth int) error {
	for i := 0; dec.More(); i++ {
		if err := dec.checkValue(&place{parent: at, index: i}, depth); err != nil {
			return err
		}
	}
	return dec.closing()
}

func (dec *checker) closing() error {
	if _, err := dec.Token(); err != nil {
		return Malformed("The request body is not valid JSON.")
	}
	return nil
}

// checkString refuses NUL, which PostgreSQL cannot store, and U+FFFD, which encoding/json writes for \ud800 and the
// like: the original text is lost.
func checkString(s string, at *place) error {
	if strings.ContainsAny(s, "\x00\uFFFD") {
		return fault.InvalidParam(at.String(), "text_invalid",
			"The text contains NUL or an invalid character. Send valid UTF-8 text.")
	}
	return nil
}

// checkOurs is checkString for texts other than a caller's own notes: people read them in pages, documents and mails.
func checkOurs(s string, at *place) error {
	switch {
	case text.Directs(s):
		return fault.InvalidParam(at.String(), "text_invalid",
			"The text contains a character that changes the direction of the text around it, such as U+202E. Remove it.")
	case text.Blank(s) && strings.TrimSpace(s) != "":
		return fault.InvalidParam(at.String(), "text_invalid",
			"The text consists of characters that show nothing, such as U+200B. Send a text that can be seen, or omit the field.")
	}
	return checkString(s, at)
}

// checkNumber accepts the values of an int64: only the quantity of usage may be a fraction, and exponents hide enormous
// numbers. Where a quantity must be whole, its schema says so.
func checkNumber(n json.Number, at *place) error {
	if at != nil && at.name == "quantity" && len(n) <= maxDecimal && !strings.ContainsAny(n.String(), "eE") {
		return nil
	}
	_, err := strconv.ParseInt(n.String(), 10, 64)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return fault.InvalidParam(at.String(), "out_of_range",
			"The number is out of range. Integers have at most 64 bits.")
	default:
		return fault.InvalidParam(at.String(), "type_wrong",
			"The number is not an integer. Send integers as plain digits, without a fraction or an exponent.")
	}
}

// Malformed refuses a text that is not JSON, or not of our form. Fault: json_malformed.
func Malformed(detail string, args ...any) error {
	return fault.New(fault.Invalid, "json_malformed", detail, args...)
}

// NotAnObject is the fault of a body that is another JSON value.
const NotAnObject = "The request body must be a JSON object."

// Join is the path of a field within another; an empty parent is the body itself.
func Join(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// maxParam bounds the field names that answers repeat.
const maxParam = 100

// Clip keeps a caller's own words from making an answer long.
func Clip(s string) string {
	if runes := []rune(s); len(runes) > maxParam {
		return string(runes[:maxParam]) + "…"
	}
	return s
}
