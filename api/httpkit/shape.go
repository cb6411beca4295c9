package httpkit

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit/strictjson"
	"perennial/billing/fault"
)

// Shapes judges JSON that is in no request, such as parts of a file, as the bodies of requests are judged.
type Shapes struct{ schemas huma.Registry }

// NewShapes makes a judge.
func NewShapes() Shapes {
	ownWords()
	return Shapes{schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)}
}

// Decode reads JSON into a T. Faults of its shape name the field; there may be several.
func Decode[T any](s Shapes, text []byte) (v T, wrong []*fault.Error) {
	if err := strictjson.Check(text); err != nil {
		return v, []*fault.Error{fault.From(err)}
	}
	return shaped[T](s, text, ofFile)
}

// Prepare makes the schema of T, which is only read afterwards: concurrent callers of Decode must call it first.
func Prepare[T any](s Shapes) { s.schemas.Schema(reflect.TypeFor[T](), true, "") }

// shaped is Decode of text that was checked.
func shaped[T any](
	s Shapes, text []byte, word func(error, ProblemField, siblings) string,
) (v T, wrong []*fault.Error) {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return v, []*fault.Error{fault.From(err)}
	}
	schema := s.schemas.Schema(reflect.TypeFor[T](), true, "")
	path, found := huma.NewPathBuffer(nil, 0), huma.ValidateResult{}
	huma.Validate(s.schemas, schema, path, huma.ModeWriteToServer, value, &found)
	names := func(location string) []string { return namesIn(schema, s.schemas, strings.Split(location, ".")) }
	for _, err := range found.Errors {
		f := wrongField(err, names)
		f.Detail = word(err, f, names)
		wrong = append(wrong, fault.InvalidParam(f.Param, f.Code, "%s", f.Detail))
	}
	slices.SortStableFunc(wrong, func(a, b *fault.Error) int { return strings.Compare(a.Param, b.Param) })
	if len(wrong) > 0 {
		return v, wrong
	}
	if err := json.Unmarshal(text, &v); err != nil {
		wrong = append(wrong, fault.From(err))
	}
	return v, wrong
}

// ofRequest words a fault as it is.
func ofRequest(_ error, f ProblemField, _ siblings) string { return f.Detail }

// ofFile words a fault that would else speak of a request.
func ofFile(err error, f ProblemField, names siblings) string {
	var found *huma.ErrorDetail
	switch {
	case f.Code == "field_unknown" && errors.As(err, &found):
		return unknownIn("file", f.Param, "field", names(found.Location))
	case f.Code == "type_wrong" && f.Param == "":
		return "It must be a mapping of fields to values."
	default:
		return f.Detail
	}
}
