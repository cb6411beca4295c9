package httpkit

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit/seats"
	"perennial/db"
)

// Operation describes one endpoint of the API. It answers under every prefix.
type Operation struct {
	Name        string // operationId: createPlan
	Method      string
	Path        string // without prefix
	Tag         string
	Summary     string
	Description string
	Status      int // of success
	Access      Access
	Load        Loader // the resource that {id} names, fetched together with the key
	Absent      bool   // the environment may not have the resource, which no {id} names: also answers 404
	Waits       bool   // honours Prefer: wait
	Tagged      bool   // answers with an ETag, or with 304
	Crowds      bool   // bounded in number at a time for one resource, and refused with 429 beyond it
	Attempts    any    // example of 202, while the one payment attempt that it waits for is undecided; it also answers 402
	Request     any    // example
	Response    any    // example
	Publicly    any    // example of the answer for a publishable key, where it differs

	plain func(body []byte) serving // of RegisterPlain; nil from it: the body is not plain
}

// changes reports whether the operation may have an effect, and so takes an Idempotency-Key.
func (o Operation) changes() bool { return o.Method != http.MethodGet }

// Call is one authenticated request.
type Call struct {
	Principal
	Prefix   string  // under which the operation was called
	Body     []byte  // of a raw operation that is not endless
	audited  db.Call // its record in the audit log
	resource any
	schemas  huma.Registry // of the requests of all operations
	repeat   *repeatable   // nil: the request has no Idempotency-Key
	wait     wait
	seat     *seats.Seat     // among those who are worked for; left while the caller merely waits
	caller   context.Context // ends when the caller goes away, however long we let the request take
	again    func(context.Context) error
}

// Actor is the key as who writes, in this call.
func (c *Call) Actor() db.Actor { return db.ByKey(c.KeyID).Doing(c.audited) }

type callKey struct{}

// Handler serves one operation; it is only ever called with an admitted key and a body of the right shape.
type Handler[I, O any] func(ctx context.Context, c *Call, in *I) (*Reply[O], error)

// Register makes an operation answer under all prefixes.
func Register[I, O any](k *Kit, op Operation, h Handler[I, O]) {
	if op.Access.Publishable {
		for _, prefix := range k.config.Prefixes {
			k.router.Path(prefix + op.Path).Methods(http.MethodOptions).HandlerFunc(preflight)
		}
	}
	described := k.describe(op)
	huma.Register(k.huma, described, func(ctx context.Context, in *I) (*Reply[O], error) {
		c, ok := ctx.Value(callKey{}).(*Call)
		if !ok {
			// guard has not run: refusing is the only safe answer, and the log has the reason.
			return nil, k.refuse(ctx, errors.New("httpkit: an operation without authentication"))
		}
		out, err := h(ctx, c, in)
		if err != nil {
			return nil, k.refuse(ctx, err)
		}
		return out, nil
	})
	op.dropHeaders(described.Responses)
}

// Reply is a success. Its body is encoded once, because the bytes stored for repeats must be those that were sent.
type Reply[T any] struct {
	Status   int
	Replayed string `header:"Idempotent-Replayed" doc:"true if the response is that of an earlier request with the same Idempotency-Key."`
	Applied  string `header:"Preference-Applied" doc:"The applied part of the Prefer header."`
	ETag     string `header:"ETag" doc:"Names this answer. Send it as If-None-Match."`
	Body     body[T]
}

// body is encoded JSON of a T; the OpenAPI document describes it by T's schema.
type body[T any] struct{ raw []byte }

func (b body[T]) encodedJSON() []byte { return b.raw }

// Schema returns the body's schema for the OpenAPI document.
func (body[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Answer returns a success of an operation that recognizes repeats without a key: replayed means that it is that of an
// earlier request.
func Answer[T any](status int, v T, replayed bool) *Reply[T] {
	out := answer(status, v)
	if replayed {
		out.Replayed = "true"
	}
	return out
}

// OK is a success with status 200.
func OK[T any](v T) *Reply[T] { return answer(http.StatusOK, v) }

// Trimmed sends a publishable key less than the whole T that others get.
func Trimmed[T, Part any](out *Reply[Part], err error) (*Reply[T], error) {
	if err != nil {
		return nil, err
	}
	return &Reply[T]{Status: out.Status, Body: body[T]{raw: out.Body.raw}}, nil
}

// Value returns the contents of the body, also of a replayed one.
func (r *Reply[T]) Value() (v T, err error) {
	err = json.Unmarshal(r.Body.raw, &v)
	return v, err
}

// Now replaces the body by the present state of the resource.
func (r *Reply[T]) Now(v T) { r.Body.raw = encode(v) }

func answer[T any](status int, v T) *Reply[T] {
	return &Reply[T]{Status: status, Body: body[T]{raw: encode(v)}}
}

// serving serves a request whose body was recognised.
type serving func(ctx context.Context, c *Call, w http.ResponseWriter)

// RegisterPlain is Register for an operation that is called very often, with bodies that mostly have one plain form.
// read recognises that form, without reflection; it judges nothing: a body that it does not recognise is checked and
// read as any other. What it returns must be what the body would have been read as. Such an operation has no
// parameters.
func RegisterPlain[I, O any](k *Kit, op Operation, read func(body []byte) (*I, bool), h Handler[I, O]) {
	op.plain = func(body []byte) serving {
		in, recognised := read(body)
		if !recognised {
			return nil
		}
		return func(ctx context.Context, c *Call, w http.ResponseWriter) {
			out, err := h(ctx, c, in)
			c.seat.Leave() // a caller who does not read the answer keeps nobody else waiting
			if err != nil {
				writeProblem(w, k.refuse(ctx, err))
				return
			}
			out.write(w)
		}
	}
	Register(k, op, h)
}

// write writes what huma writes of a reply.
func (r *Reply[T]) write(w http.ResponseWriter) {
	header := w.Header()
	for name, value := range map[string]string{
		"Idempotent-Replayed": r.Replayed, "Preference-Applied": r.Applied, "ETag": r.ETag, "Content-Type": JSONType,
	} {
		if value != "" {
			header.Set(name, value)
		}
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body.raw) // the client is gone when this fails
}
