package httpkit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit/seats"
	"perennial/api/httpkit/strictjson"
	"perennial/billing/fault"
	"perennial/internal/telemetry"
)

// RawBody describes bodies of an operation that are not one JSON value each.
type RawBody struct {
	Takes   []string // content types of requests; the first is documented
	Answers string   // the content type of success
	Endless bool     // the request may take longer than an answer may, as long as its parts arrive
	Most    int64    // bytes of a body that is not endless
}

// RawHandler serves an operation that reads the body and writes the success itself. An error that it returns before it
// has written anything becomes a problem.
type RawHandler func(ctx context.Context, c *Call, w http.ResponseWriter, r *http.Request) error

// RegisterRaw makes an operation answer under all prefixes whose body is none of the kit's: key and query are checked
// as everywhere. The example types of op describe one record of the request and of the answer.
func RegisterRaw(k *Kit, op Operation, body RawBody, h RawHandler) {
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		seat := k.seats.For()
		defer seat.Leave()
		c, err := k.openRaw(ctx, w, r, op, body, seat)
		if err == nil {
			within := context.WithValue(ctx, callKey{}, c)
			if !body.Endless {
				var cancel context.CancelFunc
				within, cancel = context.WithTimeout(within, k.bounds.Answer)
				defer cancel()
			}
			err = h(within, c, w, r)
		}
		seat.Leave() // before it waits for a caller who does not read
		if err != nil {
			writeProblem(w, k.refuse(ctx, err))
		}
	})
	k.serve(op.Method, op.Path, serve)
	described := k.describe(op)
	schemas := k.huma.OpenAPI().Components.Schemas
	media := func(example any) *huma.MediaType {
		return &huma.MediaType{Schema: schemas.Schema(reflect.TypeOf(example), true, ""), Example: example}
	}
	described.RequestBody = &huma.RequestBody{
		Required: true, Content: map[string]*huma.MediaType{body.Takes[0]: media(op.Request)},
	}
	described.Responses[strconv.Itoa(op.Status)].Content = map[string]*huma.MediaType{body.Answers: media(op.Response)}
	tooLarge := fmt.Sprintf("The body is larger than %d MiB.", body.Most>>20)
	if body.Endless {
		tooLarge = "A line of the body is too long."
	}
	described.Responses[strconv.Itoa(http.StatusRequestEntityTooLarge)].Description = tooLarge
	k.huma.OpenAPI().AddOperation(&described)
}

// openRaw does what open does. An endless body is left to the handler, and its request keeps no seat: it mostly waits
// for its caller.
func (k *Kit) openRaw(
	ctx context.Context, w http.ResponseWriter, r *http.Request, op Operation, body RawBody, seat *seats.Seat,
) (*Call, error) {
	c, err := k.enter(ctx, w, r, op, seat)
	if err != nil {
		return nil, err
	}
	for name := range r.URL.Query() {
		return nil, fault.InvalidParam(
			strictjson.Clip(name), "parameter_unknown", "%s", unknown(strictjson.Clip(name), "query parameter", nil),
		)
	}
	if r.Header.Get("Content-Encoding") != "" {
		return nil, errEncoded
	}
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if media = strings.ToLower(strings.TrimSpace(media)); media != "" && !slices.Contains(body.Takes, media) {
		return nil, fault.InvalidParam("Content-Type", "content_type_unsupported",
			"The content type is not supported. Send `Content-Type: %s`.", body.Takes[0])
	}
	if body.Endless {
		seat.Leave()
		return c, nil
	}
	return c, seat.During(ctx, func() (err error) { c.Body, err = readUpTo(w, r, body.Most); return err })
}

// Readmit judges the caller's key again, in its present state: an endless request may outlive it. Faults: those of
// every request.
func (c *Call) Readmit(ctx context.Context) error { return c.again(ctx) }

// ReadJSON decodes a payload as a T, judged like the body of any operation. Faults: those of strictjson.Check; of
// several wrong fields, the first.
func ReadJSON[T any](s Shapes, payload []byte, values int) (v T, err error) {
	if err := strictjson.CheckOf(payload, values); err != nil {
		return v, err
	}
	v, wrong := shaped[T](s, payload, ofRequest)
	if len(wrong) > 0 {
		return v, wrong[0]
	}
	return v, nil
}

// WriteJSON writes a success.
func WriteJSON(w http.ResponseWriter, contentType string, status int, v any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // the client is gone when this fails
}

// WriteLine writes one line of NDJSON.
func WriteLine(w io.Writer, v any) error {
	_, err := w.Write(append(encode(v), '\n'))
	return err
}

// StatusOf returns the HTTP status that a refusal of a part of a request would have alone.
func StatusOf(err error) int { return problemOf(err, "").Status }

// LogRefusal notes in the request's record why the rest of a body was not read, which no status says any more.
func LogRefusal(ctx context.Context, err error) {
	telemetry.RequestFrom(ctx).Code = fault.From(err).Code
}

// Shown is a success that is no JSON: a page that is whole in itself and runs nothing, or a file.
type Shown struct {
	Status      int
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Policy      string `header:"Content-Security-Policy"`
	Body        []byte
}

// pagePolicy lets a page have its own styles and the pictures within it, and nothing else: no script, no request, no
// frame around it.
const pagePolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const pageType = "text/html; charset=utf-8"

// RegisterPage makes an operation answer under all prefixes with a page instead of JSON.
func RegisterPage[I any](k *Kit, op Operation, h func(ctx context.Context, c *Call, in *I) ([]byte, error)) {
	registerShown(k, op, "text/html", "", func(ctx context.Context, c *Call, in *I) (*Shown, error) {
		page, err := h(ctx, c, in)
		return &Shown{ContentType: pageType, Policy: pagePolicy, Body: page}, err
	})
}

// RegisterFile makes an operation answer under all prefixes with a file instead of JSON. The handler returns its name,
// too, of plain letters, digits, dots, underscores and hyphens.
func RegisterFile[I any](
	k *Kit, op Operation, media string, h func(ctx context.Context, c *Call, in *I) (name string, body []byte, err error),
) {
	registerShown(k, op, media, "binary", func(ctx context.Context, c *Call, in *I) (*Shown, error) {
		name, body, err := h(ctx, c, in)
		return &Shown{ContentType: media, Disposition: `inline; filename="` + name + `"`, Body: body}, err
	})
}

func registerShown[I any](
	k *Kit, op Operation, media, format string, h func(ctx context.Context, c *Call, in *I) (*Shown, error),
) {
	described := k.describe(op)
	status := strconv.Itoa(op.Status)
	described.Responses[status].Content = map[string]*huma.MediaType{
		media: {Schema: &huma.Schema{Type: huma.TypeString, Format: format}, Example: op.Response},
	}
	huma.Register(k.huma, described, func(ctx context.Context, in *I) (*Shown, error) {
		c, ok := ctx.Value(callKey{}).(*Call)
		if !ok {
			// guard has not run: refusing is the only safe answer, and the log has the reason.
			return nil, k.refuse(ctx, errors.New("httpkit: an operation without authentication"))
		}
		shown, err := h(ctx, c, in)
		if err != nil {
			return nil, k.refuse(ctx, err)
		}
		shown.Status = op.Status
		return shown, nil
	})
	op.dropHeaders(described.Responses)
}
