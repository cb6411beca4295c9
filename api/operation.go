package api

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"github.com/gorilla/mux"
	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/telemetry"
)

// operation is all that the API says about one endpoint. It answers under every prefix.
type operation struct {
	name        string // operationId: createPlan
	method      string
	path        string
	tag         string
	summary     string
	description string
	status      int // of success
	access      access
	load        loader // the resource that {id} names, fetched together with the key
	waits       bool   // honours Prefer: wait
	request     any    // example
	response    any    // example
	publicly    any    // example of what a publishable key is answered, where that is less
}

// changes tells whether the operation may have an effect, and so takes an Idempotency-Key.
func (o operation) changes() bool { return o.method != http.MethodGet }

// call is one authenticated request.
type call struct {
	key           db.APIKey
	environmentID string
	resource      any
	repeat        *repeatable // nil: the request has no Idempotency-Key
	wait          wait
	caller        context.Context // ends when the caller goes away, however long we let the request take
}

type callKey struct{}

// handler serves one operation; it is only ever called with an admitted key and a body of the right shape.
type handler[I, O any] func(ctx context.Context, c *call, in *I) (*reply[O], error)

// register makes an operation answer under all prefixes.
func register[I, O any](s *Server, op operation, h handler[I, O]) {
	for _, prefix := range prefixes {
		if op.access.publishable {
			s.router.Path(prefix + op.path).Methods(http.MethodOptions).HandlerFunc(preflight)
		}
		described := s.describe(op, prefix)
		huma.Register(s.huma, described, func(ctx context.Context, in *I) (*reply[O], error) {
			c, ok := ctx.Value(callKey{}).(*call)
			if !ok {
				return nil, s.refuse(ctx, errors.New("api: an operation without authentication"))
			}
			out, err := h(ctx, c, in)
			if err != nil {
				return nil, s.refuse(ctx, err)
			}
			return out, nil
		})
		op.dropHeaders(described.Responses)
	}
}

// reply is a success. Its body is encoded once, because what is stored for repeats must be what was sent.
type reply[T any] struct {
	Status   int
	Replayed string `header:"Idempotent-Replayed" doc:"true where the answer is that of an earlier request with the same Idempotency-Key."`
	Applied  string `header:"Preference-Applied" doc:"The part of Prefer that was honoured."`
	Body     body[T]
}

// body is encoded JSON of a T; the OpenAPI document describes it by T's schema.
type body[T any] struct{ raw []byte }

func (b body[T]) encodedJSON() []byte { return b.raw }

// Schema is what the OpenAPI document says about the body.
func (body[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

func ok[T any](v T) *reply[T] { return answer(http.StatusOK, v) }

// trimmed sends a publishable key less than the whole T that others get.
func trimmed[T, Part any](out *reply[Part], err error) (*reply[T], error) {
	if err != nil {
		return nil, err
	}
	return &reply[T]{Status: out.Status, Body: body[T]{raw: out.Body.raw}}, nil
}

func answer[T any](status int, v T) *reply[T] {
	return &reply[T]{Status: status, Body: body[T]{raw: encode(v)}}
}

// guard stands before every operation: key, query, body, headers, in this order, so that a stranger learns nothing from
// a malformed request.
func (s *Server) guard(op operation) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		ctx := hc.Context()
		r, w := humamux.Unwrap(hc)
		if op.access.publishable {
			allowAnyOrigin(w.Header())
		}
		c, payload, err := s.open(ctx, w, r, op)
		if err != nil {
			writeProblem(w, s.refuse(ctx, err))
			return
		}
		within, cancel := context.WithTimeout(context.WithValue(ctx, callKey{}, c), s.bounds.answer)
		defer cancel()
		next(bodyContext{humaContext: huma.WithContext(hc, within), body: payload})
	}
}

func (s *Server) open(ctx context.Context, w http.ResponseWriter, r *http.Request, op operation) (*call, io.Reader, error) {
	within, cancel := context.WithTimeout(ctx, s.bounds.key)
	defer cancel()
	c, err := s.authenticate(within, r, op, mux.Vars(r)["id"])
	if err != nil {
		return nil, nil, err
	}
	c.caller = ctx
	if err := checkQuery(r.URL.RawQuery); err != nil {
		return nil, nil, err
	}
	payload, err := readBody(w, r)
	if err != nil {
		return nil, nil, err
	}
	if c.wait, err = parsePrefer(r.Header, op.waits); err != nil {
		return nil, nil, err
	}
	if op.changes() {
		if c.repeat, err = parseIdempotencyKey(r, payload); err != nil {
			return nil, nil, err
		}
	}
	return c, reader(payload), nil
}

// bodyContext gives huma the body that was read and checked before.
type bodyContext struct {
	humaContext
	body io.Reader
}

// humaContext embeds under a name that does not hide its own method Context.
type humaContext huma.Context

func (c bodyContext) BodyReader() io.Reader { return c.body }

// Header hides Accept: there is one format, and nothing to negotiate.
func (c bodyContext) Header(name string) string {
	if name == "Accept" {
		return ""
	}
	return c.humaContext.Header(name)
}

// Unwrap lets humamux find its own context.
func (c bodyContext) Unwrap() huma.Context { return c.humaContext }

// refuse turns an error into its answer and keeps the cause of a 5xx for the log.
func (s *Server) refuse(ctx context.Context, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	if ctx.Err() != nil && fault.From(err).Kind == fault.Internal { // not a bug: what we were doing was ended
		err = fault.New(fault.Unavailable, "request_interrupted",
			"the request ended before its answer; repeat it with the same Idempotency-Key").Because(err)
	}
	p = problemOf(err, requestIDFrom(ctx))
	telemetry.RequestFrom(ctx).Code = p.Code
	if p.Status >= http.StatusInternalServerError && !errors.Is(ctx.Err(), context.Canceled) { // a caller that left is not our trouble
		telemetry.For(ctx, s.telemetry.Logger).Error("refused for our own trouble", zap.String("code", p.Code), zap.Error(err))
	}
	return p
}

// byID builds a loader. What is not even shaped like an id of ours is not found, like any other absent one.
func byID[R any](s *Server, prefix, code string, fetch func(ctx context.Context, hash []byte, id string) (db.APIKey, R, error)) loader {
	return func(ctx context.Context, hash []byte, resourceID string) (db.APIKey, any, error) {
		if !id.Is(prefix, resourceID) {
			key, err := s.store.KeyByHash(ctx, hash)
			return key, nil, cmp.Or(err, notFound(code))
		}
		key, r, err := fetch(ctx, hash, resourceID)
		if err != nil && fault.From(err).Kind == fault.NotFound {
			err = notFound(code)
		}
		return key, r, err
	}
}

// resource is what the operation's loader fetched.
func resource[R any](c *call) R { return c.resource.(R) }

// notFound is the answer for an id that is absent here, whether or not it exists elsewhere.
func notFound(code string) error {
	return fault.New(fault.NotFound, code, "there is no such resource in this environment; check the id and the API key")
}
