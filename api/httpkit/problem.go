package httpkit

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"perennial/api/httpkit/strictjson"
	"perennial/billing/fault"
)

// Problem is every error answer (RFC 9457). It never holds the id that was asked for, so that a foreign id and an
// absent one are answered alike.
type Problem struct {
	Type        string         `json:"type" example:"urn:perennial:problem:out_of_range" doc:"Names the problem: urn:perennial:problem: and the code. The page /docs explains each at #problem-{code}."`
	Title       string         `json:"title" example:"Invalid request" doc:"The kind of problem, for people."`
	Status      int            `json:"status" example:"422" doc:"The HTTP status."`
	Detail      string         "json:\"detail\" example:\"`prices[0].amount` is invalid: expected number >= 0.\" doc:\"What is wrong with the request and how to correct it.\""
	Code        string         `json:"code" example:"out_of_range" doc:"A stable code for programs. All are listed at /docs#problems."`
	Param       string         `json:"param,omitempty" example:"prices[0].amount" doc:"The wrong field or parameter, if any."`
	FailureCode string         `json:"failureCode,omitempty" example:"INVALID_ACCOUNT" doc:"The failure code that a payment would have, where the customer's payment method is the problem; of a payment that failed, its own."`
	RequestID   string         `json:"requestId" example:"req_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The id of the request. Quote it when you ask for help."`
	Errors      []ProblemField `json:"errors,omitempty" doc:"The wrong fields, when several were found; at most 20. Rules that need more than one field, or the resource, are checked after the fields."`

	header http.Header
	stored []byte // a problem that an earlier request with the same Idempotency-Key was answered
}

// ProblemField is one of several wrong fields.
type ProblemField struct {
	Code   string `json:"code" example:"field_missing"`
	Param  string `json:"param" example:"customerId"`
	Detail string `json:"detail" example:"customerId is required."`
}

// kinds gives each kind of fault its status and title. An unknown kind is a bug and answers 500.
var kinds = map[fault.Kind]struct {
	status int
	title  string
}{
	fault.Invalid:      {http.StatusUnprocessableEntity, "Invalid request"},
	fault.Unauthorized: {http.StatusUnauthorized, "Unauthorized"},
	fault.Forbidden:    {http.StatusForbidden, "Forbidden"},
	fault.NotFound:     {http.StatusNotFound, "Not found"},
	fault.Conflict:     {http.StatusConflict, "Conflict"},
	fault.Gone:         {http.StatusGone, "Gone"},
	fault.RateLimited:  {http.StatusTooManyRequests, "Too many requests"},
	fault.Unavailable:  {http.StatusServiceUnavailable, "Unavailable"},
	fault.Internal:     {http.StatusInternalServerError, "Internal error"},
}

// statuses refines the status of the few faults about HTTP itself.
var statuses = map[string]int{
	"body_too_large":           http.StatusRequestEntityTooLarge,
	"body_missing":             http.StatusBadRequest,
	"body_timeout":             http.StatusRequestTimeout,
	"content_type_unsupported": http.StatusUnsupportedMediaType,
	"json_malformed":           http.StatusBadRequest,
	"method_not_allowed":       http.StatusMethodNotAllowed,
	"query_malformed":          http.StatusBadRequest,
	"header_malformed":         http.StatusBadRequest,
	"payment_declined":         http.StatusPaymentRequired,
	"payment_requires_action":  http.StatusPaymentRequired,
}

// authenticate is the challenge for a client without a usable key (RFC 6750).
const authenticate = `Bearer realm="perennial"`

// invalidAccount is the failure code of a payment whose payment method cannot be charged.
const invalidAccount = "INVALID_ACCOUNT"

// problemOf turns any error into its answer. It is the only place where kinds become statuses.
func problemOf(err error, requestID string) *Problem {
	f := fault.From(err)
	kind, known := kinds[f.Kind]
	if !known {
		f, kind = fault.New(fault.Internal, "internal",
			"The request failed with a server error."), kinds[fault.Internal]
	}
	p := &Problem{
		Type: "urn:perennial:problem:" + f.Code, Title: kind.title, Status: kind.status,
		Detail: f.Detail, Code: f.Code, Param: strictjson.Clip(f.Param), RequestID: requestID, header: http.Header{},
	}
	if status, ok := statuses[f.Code]; ok {
		p.Status, p.Title = status, titleOf(status)
	}
	if f.Kind == fault.Internal {
		p.Detail = "The request failed with a server error. Quote the request id when you ask for help." // never a cause
	}
	if f.Kind == fault.Unauthorized {
		p.header.Set("WWW-Authenticate", authenticate)
	}
	p.FailureCode = f.FailureCode
	if f.AboutPaymentMethod() {
		p.FailureCode = invalidAccount
	}
	p.Errors = severalOf(err)
	if f.RetryAfter > 0 {
		p.header.Set("Retry-After", retryAfter(f.RetryAfter))
	} else if f.Kind == fault.Unavailable {
		p.header.Set("Retry-After", "1")
	}
	return p
}

// severalOf lists the wrong fields of faults that were joined; nil where there is one.
func severalOf(err error) []ProblemField {
	all := fault.All(err)
	if len(all) < 2 {
		return nil
	}
	var fields []ProblemField
	for _, f := range all {
		if f.Kind != fault.Invalid || f.Param == "" {
			return nil // not about fields: nothing to list
		}
		fields = append(fields, ProblemField{Code: f.Code, Param: strictjson.Clip(f.Param), Detail: f.Detail})
	}
	return fields
}

// titleOf is the name of a status in the form of our titles: Method not allowed.
func titleOf(status int) string {
	text := http.StatusText(status)
	return text[:1] + strings.ToLower(text[1:])
}

// retryAfter rounds up to whole seconds, the only unit of the header.
func retryAfter(d time.Duration) string {
	return strconv.FormatInt(seconds(d), 10)
}

// Error makes a problem an error that huma writes as it is.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

func (p *Problem) encodedJSON() []byte {
	if p.stored != nil {
		return p.stored
	}
	b, err := marshal(p)
	if err != nil {
		panic("httpkit: a problem cannot be encoded: " + err.Error()) // it has strings and numbers only
	}
	return b
}

// GetStatus is the HTTP status, as huma asks for it.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders are Retry-After and WWW-Authenticate.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType returns the content type of RFC 9457.
func (p *Problem) ContentType(string) string { return ProblemType }

// The content types of answers.
const (
	JSONType    = "application/json"
	ProblemType = "application/problem+json"
)

// writeProblem writes a problem outside of huma: unknown routes, panics, callbacks.
func writeProblem(w http.ResponseWriter, p *Problem) {
	header := w.Header()
	for name, values := range p.header {
		header[name] = values
	}
	header.Set("Content-Type", ProblemType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(encode(p)) // the client is gone when this fails
}

// encode is the one JSON encoding of answers: compact, and without escaping < > &, which only HTML would need.
func encode(v any) []byte {
	if e, ok := v.(encoded); ok {
		return e.encodedJSON()
	}
	b, err := marshal(v)
	if err != nil {
		panic("httpkit: an answer cannot be encoded: " + err.Error()) // only our own types get here
	}
	return b
}

// encoded is an answer that exists as bytes already: stored ones are repeated to the byte.
type encoded interface{ encodedJSON() []byte }

func marshal(v any) ([]byte, error) {
	var b buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b[:len(b)-1], nil // Encode ends with a line break
}

type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}
