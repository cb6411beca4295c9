package api

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"github.com/gorilla/mux"

	"perennial/billing/fault"
	"perennial/internal/telemetry"
)

// prefixes under which every resource answers, from the same handlers.
var prefixes = []string{"/api", "/v1"}

// methods that routes are registered for.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// route builds every route of the server. The path comes before the method: mux forgets that a path was right but its
// method wrong when it then meets a route whose method is looked at first.
func (s *Server) route() {
	s.router = mux.NewRouter().SkipClean(true) // a doubled slash is another path, not a redirect that loses the body
	s.router.Use(telemetry.NameRoute)
	s.router.NotFoundHandler = http.HandlerFunc(s.noRoute)
	s.router.MethodNotAllowedHandler = http.HandlerFunc(s.noMethod)
	s.router.Path("/healthz").Methods(http.MethodGet).HandlerFunc(s.health)
	s.router.Path("/readyz").Methods(http.MethodGet).HandlerFunc(s.ready)
	s.router.Path("/callbacks/{id}").Methods(http.MethodPost).HandlerFunc(s.callback)

	s.huma = humamux.New(s.router, s.humaConfig())
	s.planOperations()
	s.customerOperations()
	s.subscriptionOperations()
	s.paymentOperations()
	s.invoiceOperations()
	s.testClockOperations()
	s.appOperations()
	s.eventOperations()

	document := s.document()
	s.router.Path("/openapi.json").Methods(http.MethodGet).HandlerFunc(static(jsonType, document))
	s.router.Path("/docs").Methods(http.MethodGet).HandlerFunc(static("text/html; charset=utf-8", docsPage(s.huma.OpenAPI())))
}

// humaConfig leaves huma binding, checking and describing requests; pages and error answers are ours.
func (s *Server) humaConfig() huma.Config {
	ownWords()
	config := huma.DefaultConfig("Perennial", s.config.Version)
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema fields in answers
	config.Transformers = nil
	config.RejectUnknownQueryParameters = true
	config.DefaultFormat = jsonType
	config.Formats = map[string]huma.Format{jsonType: {Marshal: writeEncoded, Unmarshal: huma.DefaultJSONFormat.Unmarshal}, problemType: {Marshal: writeEncoded}}
	s.info(config.OpenAPI)
	return config
}

func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, s.refuse(r.Context(), fault.New(fault.NotFound, "route_not_found", "there is no such path; see /docs")))
}

func (s *Server) noMethod(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", strings.Join(s.allowed(r), ", "))
	writeProblem(w, s.refuse(r.Context(), fault.New(fault.Invalid, "method_not_allowed", "this path does not take this method; see the Allow header")))
}

// allowed are the methods that the request's path does take.
func (s *Server) allowed(r *http.Request) []string {
	var allowed []string
	for _, method := range methods {
		other := r.Clone(r.Context())
		other.Method = method
		var match mux.RouteMatch
		if !s.router.Match(other, &match) || match.MatchErr != nil {
			continue
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
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
		_, _ = w.Write(content) // the client is gone when this fails
	}
}
