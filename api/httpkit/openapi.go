package httpkit

import (
	"io"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// writeEncoded is huma's marshaller: every answer is encoded in one way, or already encoded. Encoding twice could give
// two forms of one answer: the one that is sent and the one that is stored for repeats.
func writeEncoded(w io.Writer, v any) error {
	_, err := w.Write(encode(v))
	return err
}

const security = "apiKey"

// info is the part of the OpenAPI document that is about the whole API.
func (k *Kit) info(doc *huma.OpenAPI) {
	doc.Info.Description = k.config.Introduction
	for _, prefix := range k.config.Prefixes {
		doc.Servers = append(doc.Servers, &huma.Server{URL: k.config.PublicURL + prefix})
	}
	doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{security: {
		Type: "http", Scheme: "bearer", Description: k.config.AboutKeys,
	}}
	for _, tag := range k.config.Tags {
		doc.Tags = append(doc.Tags, &tag)
	}
}

// describe converts our operation to huma's. Its path has no prefix: the prefixes are servers of the document.
func (k *Kit) describe(op Operation) huma.Operation {
	o := huma.Operation{
		OperationID: op.Name, Method: op.Method, Path: op.Path, Tags: []string{op.Tag},
		Summary: op.Summary, Description: op.Description, DefaultStatus: op.Status,
		Security:        []map[string][]string{{security: {}}},
		Middlewares:     huma.Middlewares{k.guard(op)},
		MaxBodyBytes:    -1, // read and bounded before huma sees it
		BodyReadTimeout: -1,
		Responses:       k.responses(op),
	}
	if op.changes() {
		o.Parameters = append(o.Parameters, idempotencyParameter(), actorParameter())
	}
	if op.Waits {
		o.Parameters = append(o.Parameters, preferParameter())
	}
	if op.Request != nil {
		o.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{JSONType: {Example: op.Request}}}
	}
	return o
}

func idempotencyParameter() *huma.Param {
	least, most := 1, maxIdempotencyKey
	return &huma.Param{
		Name: "Idempotency-Key", In: "header", Example: "2f1c0b9a-8d7e-4c3b-9a21-6f5e4d3c2b1a",
		Description: "Makes a repeat of the request safe. See the introduction.",
		Schema:      &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most, Pattern: "^[!-~]+$"},
	}
}

func preferParameter() *huma.Param {
	return &huma.Param{
		Name: "Prefer", In: "header", Example: "wait=10",
		Description: "wait=N: waits up to N seconds, at most 30 (RFC 7240).",
		Schema:      &huma.Schema{Type: huma.TypeString},
	}
}

// responses describes the success by an example, which huma completes with its schema, and every refusal.
func (k *Kit) responses(op Operation) map[string]*huma.Response {
	schemas := k.huma.OpenAPI().Components.Schemas
	success := &huma.MediaType{Example: op.Response}
	// Two shapes under one status: a client with a secret key must not take the shorter one for a fault.
	if op.Publicly != nil {
		success.Schema = &huma.Schema{AnyOf: []*huma.Schema{
			schemas.Schema(reflect.TypeOf(op.Response), true, ""),
			schemas.Schema(reflect.TypeOf(op.Publicly), true, ""),
		}}
	}
	out := map[string]*huma.Response{strconv.Itoa(op.Status): {
		Description: http.StatusText(op.Status), Content: map[string]*huma.MediaType{JSONType: success}, Headers: limits(),
	}}
	if op.Attempts != nil {
		out[strconv.Itoa(http.StatusAccepted)] = &huma.Response{
			Description: "With paymentBehavior: error, the provider has not decided the payment yet. The resource waits for it.",
			Content: map[string]*huma.MediaType{JSONType: {
				Schema: schemas.Schema(reflect.TypeOf(op.Response), true, ""), Example: op.Attempts,
			}},
			Headers: limits(),
		}
	}
	if op.Tagged {
		out[strconv.Itoa(http.StatusNotModified)] = notModified()
	}
	problem := schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	for status, why := range op.refusalReasons() {
		why += k.codesOf(op, status)
		out[strconv.Itoa(status)] = &huma.Response{
			Description: why, Content: map[string]*huma.MediaType{ProblemType: {Schema: problem}},
		}
	}
	return out
}

// limits describes the headers with the rest of a key's quota.
func limits() map[string]*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	return map[string]*huma.Param{
		"RateLimit-Policy": {
			Schema: text, Example: `"key";q=200;w=2`,
			Description: "How many requests the API key may make (q) in how many seconds (w).",
		},
		"RateLimit": {
			Schema: text, Example: `"key";r=199;t=1`,
			Description: "How many are left (r), and in how many seconds it may make more, or all of them (t).",
		},
	}
}

// refusalReasons returns the statuses with which an operation may refuse, and why. They follow from the operation's
// properties, so that a new one cannot forget a status that its machinery sends.
func (o Operation) refusalReasons() map[int]string {
	reasons := map[int]string{
		http.StatusBadRequest:          "The query string, a header or the body is malformed.",
		http.StatusUnauthorized:        "The API key is missing or invalid.",
		http.StatusForbidden:           "The key's scopes or IP addresses do not allow this operation.",
		http.StatusUnprocessableEntity: "A field or parameter is invalid. param names it.",
		http.StatusTooManyRequests: "The API key made too many requests. This one was not performed. Repeat it after " +
			"Retry-After.",
		http.StatusInternalServerError: "The request failed with a server error. " +
			"Quote the requestId when you ask for help.",
		http.StatusServiceUnavailable: "The service is unavailable. " +
			"Try again after Retry-After, with the same Idempotency-Key.",
	}
	if o.Load.fetch != nil || o.Absent || o.refersTo() {
		reasons[http.StatusNotFound] = "The resource does not exist in this environment."
	}
	if o.Attempts != nil {
		reasons[http.StatusPaymentRequired] = "With paymentBehavior: error, the one payment attempt failed (failureCode says " +
			"how), or its payer has to confirm it. Plan, items and access are as they were."
	}
	if o.Crowds {
		reasons[http.StatusTooManyRequests] = "The API key made too many requests, or too many requests change this " +
			"subscription at the same time. This one was not performed. Repeat it after Retry-After, with the same " +
			"Idempotency-Key."
	}
	if o.changes() {
		maps.Copy(reasons, map[int]string{
			http.StatusConflict: "The current state of the resource does not allow the operation, or a " +
				"request with the same Idempotency-Key is in progress. With Retry-After, the refusal is temporary: " +
				"repeat the request after that time, with the same key.",
			http.StatusRequestTimeout:        "The body did not arrive in time. Nothing was performed.",
			http.StatusGone:                  "The stored response was erased with its customer.",
			http.StatusRequestEntityTooLarge: "The body is larger than 1 MiB.",
			http.StatusUnsupportedMediaType:  "The body is not application/json.",
		})
	}
	return reasons
}

// refersTo: the body names resources that may be absent.
func (o Operation) refersTo() bool { return o.changes() && o.Request != nil }

// dropHeaders removes headers from the document that the operation never sends. huma documents every header field of
// Reply, which all operations share.
func (o Operation) dropHeaders(responses map[string]*huma.Response) {
	headers := responses[strconv.Itoa(o.Status)].Headers
	if !o.changes() {
		delete(headers, "Idempotent-Replayed")
	}
	if !o.Waits {
		delete(headers, "Preference-Applied")
	}
	if !o.Tagged {
		delete(headers, "ETag")
	}
}

// Document is the finished OpenAPI document.
func (k *Kit) Document() []byte {
	k.finish()
	return k.render()
}

// finish changes the schemas, so it comes before the first request, which reads them.
func (k *Kit) finish() {
	allowNewFields(k.huma.OpenAPI())
	describeProperties(k.huma.OpenAPI(), k.config.Words)
}

func (k *Kit) render() []byte {
	doc, err := marshal(k.huma.OpenAPI())
	if err != nil {
		panic("httpkit: the OpenAPI document cannot be encoded: " + err.Error()) // it is made of constants
	}
	return doc
}

// allowNewFields allows further fields in answers: with the strictness of requests, clients would refuse a field that
// we add.
func allowNewFields(doc *huma.OpenAPI) {
	strict := map[string]bool{}
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil && op.RequestBody != nil {
				for _, media := range op.RequestBody.Content {
					collect(doc, media.Schema, strict)
				}
			}
		}
	}
	for name, schema := range doc.Components.Schemas.Map() {
		if !strict[name] {
			schema.AdditionalProperties = nil
		}
	}
}

// collect names the schemas that one refers to. A name that is known already ends the walk, which would else follow a
// circle for ever.
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
	if values, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		collect(doc, values, names)
	}
	for _, property := range schema.Properties {
		collect(doc, property, names)
	}
}

// describeProperties gives properties without a description the words of their name: first those of the schema
// ("Invoice.status"), then those that a name has everywhere ("customerId"). So texts that all resources share are
// written once.
func describeProperties(doc *huma.OpenAPI, words map[string]string) {
	for schema, s := range doc.Components.Schemas.Map() {
		for name, p := range s.Properties {
			if p.Description != "" || p.Ref != "" {
				continue
			}
			if p.Description = words[schema+"."+name]; p.Description == "" {
				p.Description = words[name]
			}
		}
	}
}
