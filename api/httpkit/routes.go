package httpkit

import (
	"bytes"
	"cmp"
	"context"
	"html"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"github.com/gorilla/mux"

	"perennial/billing/fault"
	"perennial/internal/telemetry"
)

// methods that routes are registered for.
var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// route makes the router. Everywhere the path comes before the method: mux forgets that a path was right but its method
// wrong when it then meets a route whose method is looked at first.
func (k *Kit) route() {
	k.router = mux.NewRouter().SkipClean(true) // a doubled slash is another path, not a redirect that loses the body
	k.router.Use(telemetry.NameRoute)
	k.router.NotFoundHandler = http.HandlerFunc(k.noRoute)
	k.router.MethodNotAllowedHandler = http.HandlerFunc(k.noMethod)
	k.literals = map[string]bool{}
	k.huma = huma.NewAPI(k.humaConfig(), everyPrefix{k})
}

// everyPrefix has an operation answer under each prefix, while the OpenAPI document describes it once.
type everyPrefix struct{ *Kit }

// ServeHTTP is required by huma, which serves no requests alone here.
func (e everyPrefix) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.router.ServeHTTP(w, r) }

// Handle is called by huma for each operation.
func (e everyPrefix) Handle(op *huma.Operation, handler func(huma.Context)) {
	e.serve(op.Method, op.Path, func(w http.ResponseWriter, r *http.Request) {
		handler(humamux.NewContext(op, r, w))
	})
}

// serve has a handler answer under each prefix. A path without variables belongs to its own operations alone:
// /subscriptions/preview is no subscription, whatever the method.
func (k *Kit) serve(method, path string, handler http.HandlerFunc) {
	for _, prefix := range k.config.Prefixes {
		full := prefix + path
		if !variable(path) {
			k.literals[full] = true
		}
		serve := func(w http.ResponseWriter, r *http.Request) {
			if variable(path) && k.literals[r.URL.Path] {
				k.noMethod(w, r)
				return
			}
			handler(w, r)
		}
		k.router.Path(full).Methods(method).HandlerFunc(serve)
		k.paths.add(method, full, serve)
	}
}

func variable(path string) bool { return strings.Contains(path, "{") }

// humaConfig leaves huma binding, checking and describing requests; pages and error answers are ours.
func (k *Kit) humaConfig() huma.Config {
	ownWords()
	config := huma.DefaultConfig(k.config.Title, k.config.Version)
	// huma would serve a page that loads scripts from elsewhere.
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema fields in answers
	config.Transformers = nil
	config.RejectUnknownQueryParameters = true
	config.DefaultFormat = JSONType
	config.Formats = map[string]huma.Format{
		JSONType:    {Marshal: writeEncoded, Unmarshal: huma.DefaultJSONFormat.Unmarshal},
		ProblemType: {Marshal: writeEncoded},
	}
	k.info(config.OpenAPI)
	return config
}

// Publish serves the OpenAPI document and its readable page, once all operations are registered. Both are rendered when
// they are first asked for: most processes never are.
func (k *Kit) Publish() {
	k.finish()
	document := sync.OnceValue(k.render)
	k.router.Path("/openapi.json").Methods(http.MethodGet).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		static(JSONType, document())(w, r)
	})
	// The page names the address that its reader reached us by, unless operators say which one is public.
	const here = "server.invalid"
	page := sync.OnceValue(func() []byte {
		return docsPage(k.huma.OpenAPI(), k.config.Problems, k.config.Prefixes[0], cmp.Or(k.config.PublicURL, here))
	})
	k.router.Path("/docs").Methods(http.MethodGet).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address := html.EscapeString(ownAddress(r))
		static("text/html; charset=utf-8", bytes.ReplaceAll(page(), []byte(here), []byte(address)))(w, r)
	})
}

// ownAddress returns the address by which a caller reached us.
func ownAddress(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// Raw returns a handler for a route that is no operation of the API, such as a provider's callback: it reads the
// request and writes its own success. Its errors become problems, and its time is bounded as everywhere.
func (k *Kit) Raw(handle func(ctx context.Context, w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), k.bounds.Answer)
		defer cancel()
		if err := handle(ctx, w, r); err != nil {
			writeProblem(w, k.refuse(ctx, err))
		}
	})
}

func (k *Kit) noRoute(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, k.refuse(r.Context(), fault.New(fault.NotFound, "route_not_found",
		"The path does not exist. See /docs for all paths.")))
}

func (k *Kit) noMethod(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", strings.Join(k.allowed(r), ", "))
	writeProblem(w, k.refuse(r.Context(), fault.New(fault.Invalid, "method_not_allowed",
		"The path does not support this method. Use a method of the Allow header.")))
}

// allowed are the methods that the request's path does take.
func (k *Kit) allowed(r *http.Request) []string {
	var allowed []string
	for _, method := range methods {
		other := r.Clone(r.Context())
		other.Method = method
		var match mux.RouteMatch
		if !k.router.Match(other, &match) || match.MatchErr != nil {
			continue
		}
		if template, err := match.Route.GetPathTemplate(); k.literals[r.URL.Path] && (err != nil || variable(template)) {
			continue // see serve
		}
		if allowed = append(allowed, method); method == http.MethodGet {
			allowed = append(allowed, http.MethodHead) // see headIsGet
		}
	}
	return allowed
}

func static(contentType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
		_, _ = w.Write(content) // the client is gone when this fails
	}
}
