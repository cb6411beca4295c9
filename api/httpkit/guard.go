package httpkit

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"github.com/gorilla/mux"
	"go.uber.org/zap"

	"perennial/api/httpkit/seats"
	"perennial/billing/fault"
	"perennial/internal/telemetry"
)

// guard runs before every operation: form of the key, a seat, key, quota, query, body, headers, in this order, so that
// a stranger costs little and learns nothing from a malformed request.
func (k *Kit) guard(op Operation) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		ctx := hc.Context()
		r, w := humamux.Unwrap(hc)
		if op.Access.Publishable {
			allowAnyOrigin(w.Header())
		}
		seat := k.seats.For()
		defer seat.Leave()
		c, payload, serve, err := k.open(ctx, w, r, op, seat)
		if err != nil {
			seat.Leave() // before it waits for a caller who does not read
			writeProblem(w, k.refuse(ctx, err))
			return
		}
		within, cancel := context.WithTimeout(context.WithValue(ctx, callKey{}, c), k.bounds.Answer)
		defer cancel()
		if serve != nil {
			serve(within, c, w)
			return
		}
		next(bodyContext{humaContext: huma.WithContext(hc, within), body: payload, seat: seat})
	}
}

// enter admits a caller before the body is judged. Its bound is short and its own: a database that hangs must leave
// time to say so within ten seconds.
func (k *Kit) enter(
	ctx context.Context, w http.ResponseWriter, r *http.Request, op Operation, seat *seats.Seat,
) (*Call, error) {
	hash, mode, err := bearer(r.Header)
	if err != nil {
		return nil, err
	}
	if err := k.atTheDoor(w.Header(), hash); err != nil {
		return nil, err
	}
	if err := seat.Take(ctx); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, k.bounds.Key)
	defer cancel()
	c, err := k.authenticate(within, w.Header(), r, op, mux.Vars(r)["id"], hash, mode)
	if err != nil {
		return nil, err
	}
	c.caller, c.schemas, c.seat = ctx, k.huma.OpenAPI().Components.Schemas, seat
	c.again = func(ctx context.Context) error {
		within, cancel := context.WithTimeout(ctx, k.bounds.Key)
		defer cancel()
		key, err := k.keyByHash(within, hash)
		if err != nil {
			return err
		}
		return admit(key, mode, op.Access, clientAddress(r, k.config.TrustedProxies), k.now())
	}
	c.Prefix = strings.TrimSuffix(r.URL.Path, withoutPrefix(r.URL.Path, k.config.Prefixes))
	if op.changes() {
		if c.audited.Claim.For, err = parseActor(r.Header); err != nil {
			return nil, err
		}
	}
	return c, checkQuery(r.URL.RawQuery)
}

// open does everything before the operation itself. serve is nil unless the body was recognised as plain.
func (k *Kit) open(
	ctx context.Context, w http.ResponseWriter, r *http.Request, op Operation, seat *seats.Seat,
) (c *Call, body io.Reader, serve serving, err error) {
	if c, err = k.enter(ctx, w, r, op, seat); err != nil {
		return nil, nil, nil, err
	}
	var payload []byte
	if r.ContentLength != 0 {
		err = seat.During(ctx, func() (err error) { payload, serve, err = readBody(w, r, op); return err })
	}
	if err != nil {
		return nil, nil, nil, err
	}
	// huma ignores the body of an operation that has none.
	if op.changes() && op.Request == nil {
		if err := refuseFields(payload); err != nil {
			return nil, nil, nil, err
		}
	}
	if c.wait, err = parsePrefer(r.Header, op.Waits); err != nil {
		return nil, nil, nil, err
	}
	if op.changes() {
		c.audited.Body = payload
		if c.repeat, err = parseIdempotencyKey(r, k.config.Prefixes, payload); err != nil {
			return nil, nil, nil, err
		}
	}
	return c, reader(payload), serve, nil
}

// bodyContext gives huma the body that was read and checked before, and leaves the seat once there is an answer.
type bodyContext struct {
	humaContext
	body io.Reader
	seat *seats.Seat
}

// BodyWriter is called when the answer is complete. A caller that does not read it must not delay others.
func (c bodyContext) BodyWriter() io.Writer {
	c.seat.Leave()
	return c.humaContext.BodyWriter()
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

// interrupted says what to do about a missing answer. Only a caller with a key can repeat blindly.
func interrupted(ctx context.Context) string {
	if c, ok := ctx.Value(callKey{}).(*Call); ok && c.repeat != nil {
		return "The request ended before its response. Repeat it with the same Idempotency-Key."
	}
	return "The request ended before its response. Check whether it was performed before you repeat it. " +
		"A request with an Idempotency-Key is safe to repeat."
}

// refuse turns an error into its answer and keeps the cause of a 5xx for the log.
func (k *Kit) refuse(ctx context.Context, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	if ctx.Err() != nil && fault.From(err).Kind == fault.Internal { // not a bug: what we were doing was ended
		err = fault.New(fault.Unavailable, "request_interrupted", "%s", interrupted(ctx)).Because(err)
	}
	p = problemOf(err, requestIDFrom(ctx))
	telemetry.RequestFrom(ctx).Code = p.Code
	if errors.Is(err, seats.ErrOverloaded) { // normal under load; a line for each would add to the load
		telemetry.RequestFrom(ctx).Shed = true
		return p
	}
	// A caller that left is no fault of the service: an alert on these lines must not follow clients that time out.
	if p.Status >= http.StatusInternalServerError && !errors.Is(ctx.Err(), context.Canceled) {
		log := telemetry.For(ctx, k.telemetry.Logger)
		log.Error("request failed with a server error", zap.String("code", p.Code), zap.Error(err))
	}
	return p
}
