package httpkit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"perennial/api/httpkit/strictjson"
	"perennial/billing/fault"
	"perennial/internal/telemetry"
)

// ownWords makes huma strict and replaces its messages by our problems. huma reads these package variables, which
// therefore are set once, before the first API exists.
var ownWords = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true // {"CUSTOMERID": …} is an unknown field, not a lucky guess
	huma.DefaultArrayNullable = false
	huma.ErrorFormatter = plainly //nolint:reassign // a hook that huma offers; the linter takes it for an error
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		names := siblings(func(string) []string { return nil })
		if c, ok := ctx.Context().Value(callKey{}).(*Call); ok {
			names = siblingsOf(ctx.Operation(), c.schemas)
		}
		p := validationProblem(requestIDFrom(ctx.Context()), status, message, errs, names)
		telemetry.RequestFrom(ctx.Context()).Code = p.Code
		return p
	}
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return validationProblem("", status, message, errs, func(string) []string { return nil })
	}
})

// plainly formats a finding. Limits are whole numbers that huma keeps as float64: 999999999999, not 9.99999999999e+11.
func plainly(format string, args ...any) string {
	for i, arg := range args {
		if limit, ok := arg.(float64); ok {
			args[i] = number(&limit)
		}
	}
	return fmt.Sprintf(format, args...)
}

// validationProblem converts huma's errors about the shape of a request. All wrong fields are listed, up to maxErrors,
// so that a form can be corrected at once; code and param of the problem are those of the first.
func validationProblem(requestID string, status int, message string, errs []error, names siblings) *Problem {
	// huma failed, not the caller: the cause goes to the log and not into the answer.
	if status >= 500 || status == 0 {
		return problemOf(errors.Join(append(errs, errors.New(message))...), requestID)
	}
	fields := make([]ProblemField, 0, len(errs))
	for _, err := range errs {
		var p *Problem
		if errors.As(err, &p) {
			return p
		}
		fields = append(fields, wrongField(err, names))
	}
	if len(fields) == 0 {
		return problemOf(bodyFault(status, message), requestID)
	}
	// huma walks maps, which have no order: the same request must be refused with the same words.
	slices.SortStableFunc(fields, func(a, b ProblemField) int { return strings.Compare(a.Param, b.Param) })
	fields = upToLimits(fields)
	first := fields[0]
	p := problemOf(fault.InvalidParam(first.Param, first.Code, "%s", first.Detail), requestID)
	if len(fields) > 1 {
		p.Errors = fields
	}
	return p
}

// maxErrors bounds the fields that one response lists, so that a long wrong list stays readable.
const maxErrors = 20

// upToLimits omits errors in the entries of a list that is too long, and all beyond maxErrors. fields are sorted, so a
// list comes before its entries.
func upToLimits(fields []ProblemField) []ProblemField {
	var kept []ProblemField
	tooLong := ""
	for _, f := range fields {
		if tooLong != "" && strings.HasPrefix(f.Param, tooLong+"[") {
			continue
		}
		if kept = append(kept, f); len(kept) == maxErrors {
			break
		}
		tooLong = ""
		if f.Code == "out_of_range" && strings.Contains(f.Detail, tooManyItems) {
			tooLong = f.Param
		}
	}
	return kept
}

// tooManyItems is the begin of huma's message about a list that is too long.
var tooManyItems, _, _ = strings.Cut(validation.MsgExpectedMaxItems, "%")

// bodyFault is about the body as a whole. huma tells these cases apart by status and sentence only.
func bodyFault(status int, message string) *fault.Error {
	switch status {
	case 413:
		return errBodyTooLarge
	case 408:
		return errBodyTimeout
	default:
		if strings.Contains(message, "body is required") {
			return fault.New(fault.Invalid, "body_missing", "The request body is missing. Send a JSON object.")
		}
		return fault.New(fault.Invalid, "request_invalid", "The request is malformed: %s.", message)
	}
}

// wordings maps huma's sentences to codes; the part before the first % is compared. A sentence that begins like another
// one comes after it.
var wordings = []struct{ message, code string }{
	{validation.MsgUnexpectedProperty, "field_unknown"},
	{"unknown query parameter", "parameter_unknown"},
	{validation.MsgExpectedRequiredProperty, "field_missing"},
	{validation.MsgExpectedDependentRequiredProperty, "field_missing"},
	{"required ", "field_missing"},
	{validation.MsgExpectedBoolean, "type_wrong"},
	{validation.MsgExpectedNumberBeMultipleOf, "out_of_range"},
	{validation.MsgExpectedMinimumNumber, "out_of_range"},
	{validation.MsgExpectedExclusiveMinimumNumber, "out_of_range"},
	{validation.MsgExpectedMaximumNumber, "out_of_range"},
	{validation.MsgExpectedExclusiveMaximumNumber, "out_of_range"},
	{validation.MsgExpectedNumber, "type_wrong"},
	{validation.MsgExpectedInteger, "type_wrong"},
	{"invalid integer", "type_wrong"},
	{"invalid boolean", "type_wrong"},
	{validation.MsgExpectedArrayItemsUnique, "value_repeated"},
	{validation.MsgExpectedMinItems, "out_of_range"},
	{validation.MsgExpectedMaxItems, "out_of_range"},
	{validation.MsgExpectedArray, "type_wrong"},
	{validation.MsgExpectedObject + " with", "out_of_range"},
	{validation.MsgExpectedObject, "type_wrong"},
	{validation.MsgExpectedOneOf, "value_unknown"},
	{validation.MsgExpectedMinLength, "length_out_of_range"},
	{validation.MsgExpectedMaxLength, "length_out_of_range"},
	{validation.MsgExpectedMatchPattern, "format_wrong"},
	{validation.MsgExpectedBePattern, "format_wrong"},
	{validation.MsgExpectedRFC5322Email, "email_malformed"},
	{validation.MsgExpectedString, "type_wrong"},
}

// wrongField reads code and field out of one of huma's findings.
// The value itself is never repeated: it may be personal.
func wrongField(err error, names siblings) ProblemField {
	var detail *huma.ErrorDetail
	if !errors.As(err, &detail) {
		return ProblemField{Code: "field_invalid", Detail: "The request is malformed."}
	}
	param := paramOf(detail.Location)
	for _, w := range wordings {
		fixed, _, _ := strings.Cut(w.message, "%")
		if !strings.HasPrefix(detail.Message, fixed) {
			continue
		}
		if w.code == "field_missing" {
			var name string
			// huma locates a missing field at its object; the name is in the sentence only.
			if n, _ := fmt.Sscanf(detail.Message, validation.MsgExpectedRequiredProperty, &name); n == 1 {
				param = strictjson.Join(param, name)
			}
			return ProblemField{Code: w.code, Param: param, Detail: quoted(param) + " is required."}
		}
		return ProblemField{
			Code: w.code, Param: param, Detail: sentence(param, w.code, detail.Message, names(detail.Location)),
		}
	}
	return ProblemField{
		Code: "field_invalid", Param: param,
		Detail: quoted(param) + " is malformed. Send a value of the documented type.",
	}
}

func sentence(param, code, message string, names []string) string {
	switch {
	case code == "field_unknown":
		return unknown(param, "field", names)
	case code == "parameter_unknown":
		return unknown(param, "query parameter", names)
	case code == "type_wrong" && param == "":
		return strictjson.NotAnObject
	case code == "type_wrong":
		return quoted(param) + " is invalid: " + strings.Replace(message, "invalid", "expected", 1) + "."
	default:
		return quoted(param) + " is invalid: " + message + "."
	}
}

// quoted returns the name of a field as details show it.
func quoted(param string) string { return "`" + param + "`" }

// paramOf converts huma's location to the caller's name: body.prices[0].amount is prices[0].amount.
func paramOf(location string) string {
	for _, root := range []string{"body", "query", "path", "header"} {
		if location == root {
			return ""
		}
		if rest, ok := strings.CutPrefix(location, root+"."); ok {
			if root == "query" { // one value of several in a list, which has one name
				rest, _, _ = strings.Cut(rest, "[")
			}
			return strictjson.Clip(rest)
		}
	}
	return strictjson.Clip(location)
}
