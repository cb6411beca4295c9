package api

import (
	"io"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"perennial/db"
	"perennial/internal/telemetry"
)

// writeEncoded is huma's marshaller: every answer is encoded in one way, or already.
func writeEncoded(w io.Writer, v any) error {
	_, err := w.Write(encode(v))
	return err
}

const security = "apiKey"

// info is the part of the OpenAPI document that is about the whole API.
func (s *Server) info(doc *huma.OpenAPI) {
	doc.Info.Description = introduction
	if s.config.PublicURL != "" {
		doc.Servers = []*huma.Server{{URL: s.config.PublicURL}}
	}
	doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{security: {
		Type: "http", Scheme: "bearer",
		Description: "A secret key (sk_test_…, sk_live_…) on your server. Publishable keys (pk_…) may list active plans and read the status of one payment, from web pages of any origin too.",
	}}
	for _, tag := range tags {
		doc.Tags = append(doc.Tags, &tag)
	}
}

var tags = []huma.Tag{
	{Name: "Plans", Description: "What can be bought."},
	{Name: "Customers", Description: "Who buys, and how they pay."},
	{Name: "Subscriptions", Description: "A customer's use of a plan, billed period by period."},
	{Name: "Payments", Description: "Attempts to move money: charges and refunds."},
	{Name: "Invoices", Description: "What is owed for a period."},
	{Name: "Events", Description: "What happened, in the order of each subscription."},
	{Name: "Test clocks", Description: "A time of its own for test customers: a year in seconds."},
	{Name: "Apps", Description: "The applications of a tenant."},
}

const introduction = `Subscription billing. Every resource answers under /api and, the same, under /v1.

Amounts are integers in minor units of the currency (1900 is 19.00 USD, but 1900 XAF); times are Unix seconds.

Lists are newest first: limit 1 to 100, startingAfter or endingBefore the id of an entry, and hasMore. HEAD answers what GET
would, without the body.

Every POST, PATCH and DELETE takes an Idempotency-Key of 1 to 255 visible characters. A repeat with the same key and the
same body is given the stored answer, with Idempotent-Replayed: true, for at least 24 hours. Another body answers 422
idempotency_key_reused. While the first request still runs a repeat waits a few seconds, then answers 409.

What a subscription or a test clock refuses is stored like a success, with one exception: a 409 with Retry-After passes by
itself (a payment or a renewal is in progress, a test clock is advancing, the first request still runs). Wait that long and
repeat with the same key: the request is judged anew, and performed at most once. A request that is wrong in itself, or whose
creation is refused, had no effect and is judged anew too.

Errors are application/problem+json (RFC 9457) with a stable code, the field at fault in param, and a requestId. Every
request is answered within 10 seconds, beside the time that Prefer: wait asks for. After a 503 wait for Retry-After and
repeat with the same key.`

// describe makes huma's operation of ours. Under /v1 it has the same handler and another operationId.
func (s *Server) describe(op operation, prefix string) huma.Operation {
	name := op.name
	if prefix != prefixes[0] {
		name += strings.ToUpper(strings.TrimPrefix(prefix, "/"))
	}
	o := huma.Operation{
		OperationID: name, Method: op.method, Path: prefix + op.path, Tags: []string{op.tag},
		Summary: op.summary, Description: op.description, DefaultStatus: op.status,
		Security:        []map[string][]string{{security: {}}},
		Middlewares:     huma.Middlewares{s.guard(op)},
		MaxBodyBytes:    -1, // read and bounded before huma sees it
		BodyReadTimeout: -1,
		Responses:       s.responses(op),
	}
	if op.changes() {
		o.Parameters = append(o.Parameters, idempotencyParameter())
	}
	if op.waits {
		o.Parameters = append(o.Parameters, preferParameter())
	}
	if op.request != nil {
		o.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{jsonType: {Example: op.request}}}
	}
	return o
}

func idempotencyParameter() *huma.Param {
	least, most := 1, maxIdempotencyKey
	return &huma.Param{
		Name: "Idempotency-Key", In: "header", Example: "2f1c0b9a-8d7e-4c3b-9a21-6f5e4d3c2b1a",
		Description: "Makes a repeat safe: see above.",
		Schema:      &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most},
	}
}

func preferParameter() *huma.Param {
	return &huma.Param{
		Name: "Prefer", In: "header", Example: "wait=10", Description: "wait=N: wait up to N seconds, at most 30 (RFC 7240).",
		Schema: &huma.Schema{Type: huma.TypeString},
	}
}

// responses describes the success by an example, which huma completes with its schema, and every refusal.
func (s *Server) responses(op operation) map[string]*huma.Response {
	schemas := s.huma.OpenAPI().Components.Schemas
	success := &huma.MediaType{Example: op.response}
	if op.publicly != nil {
		success.Schema = &huma.Schema{OneOf: []*huma.Schema{
			schemas.Schema(reflect.TypeOf(op.response), true, ""), schemas.Schema(reflect.TypeOf(op.publicly), true, ""),
		}}
	}
	out := map[string]*huma.Response{strconv.Itoa(op.status): {
		Description: http.StatusText(op.status), Content: map[string]*huma.MediaType{jsonType: success},
	}}
	problem := schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	for status, why := range op.refusalReasons() {
		out[strconv.Itoa(status)] = &huma.Response{
			Description: why, Content: map[string]*huma.MediaType{problemType: {Schema: problem}},
		}
	}
	return out
}

func (o operation) refusalReasons() map[int]string {
	reasons := map[int]string{
		http.StatusBadRequest:          "The query string, a header or the body is malformed.",
		http.StatusUnauthorized:        "No usable API key.",
		http.StatusForbidden:           "The key's scopes or addresses do not cover this.",
		http.StatusUnprocessableEntity: "A field or parameter is wrong: param names it.",
		http.StatusInternalServerError: "Our fault; quote the requestId.",
		http.StatusServiceUnavailable:  "Try again after Retry-After, with the same Idempotency-Key.",
	}
	if o.load != nil || o.refersTo() {
		reasons[http.StatusNotFound] = "Absent from this environment."
	}
	if o.changes() {
		maps.Copy(reasons, map[int]string{
			http.StatusConflict:              "The present state forbids it, or the same Idempotency-Key is still in flight. With Retry-After it passes by itself: repeat then, with the same key.",
			http.StatusGone:                  "The stored answer was erased with its customer.",
			http.StatusRequestEntityTooLarge: "The body is larger than 1 MiB.",
			http.StatusUnsupportedMediaType:  "The body is not application/json.",
		})
	}
	return reasons
}

// refersTo: the body names resources that may be absent.
func (o operation) refersTo() bool { return o.changes() && o.request != nil }

// dropHeaders takes from the document the headers that the operation never answers.
func (o operation) dropHeaders(responses map[string]*huma.Response) {
	headers := responses[strconv.Itoa(o.status)].Headers
	if !o.changes() {
		delete(headers, "Idempotent-Replayed")
	}
	if !o.waits {
		delete(headers, "Preference-Applied")
	}
}

//go:generate go test . -run ^TestTheDocumentIsCommitted$ -count=1 -update

// Document is the OpenAPI document without a server: what clients are generated from.
func Document(version string) []byte {
	s := &Server{store: &db.Store{}, telemetry: &telemetry.Telemetry{}, config: Config{Version: version}} // nothing is asked of them
	s.route()
	return s.document()
}

// document is the finished OpenAPI document.
func (s *Server) document() []byte {
	open := s.huma.OpenAPI()
	allowNewFields(open)
	doc, err := marshal(open)
	if err != nil {
		panic("api: the OpenAPI document cannot be encoded: " + err.Error()) // it is made of constants
	}
	return doc
}

// allowNewFields lets answers grow: what is strict about requests would make clients refuse a field that we add.
func allowNewFields(doc *huma.OpenAPI) {
	strict := map[string]bool{}
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Post, item.Patch, item.Delete} {
			if op != nil && op.RequestBody != nil {
				collect(doc, op.RequestBody.Content[jsonType].Schema, strict)
			}
		}
	}
	for name, schema := range doc.Components.Schemas.Map() {
		if !strict[name] {
			schema.AdditionalProperties = nil
		}
	}
}

// collect names the schemas that one refers to.
func collect(doc *huma.OpenAPI, schema *huma.Schema, names map[string]bool) {
	if schema == nil {
		return
	}
	if schema.Ref != "" {
		name := schema.Ref[strings.LastIndex(schema.Ref, "/")+1:]
		if names[name] {
			return
		}
		names[name] = true
		schema = doc.Components.Schemas.SchemaFromRef(schema.Ref)
	}
	collect(doc, schema.Items, names)
	for _, property := range schema.Properties {
		collect(doc, property, names)
	}
}
