package bare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/mux"
	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/api"
	"perennial/db"
	"perennial/internal/telemetry"
	"perennial/service"
)

// reading serves one path. It plays the product's reads for the first request, with the ids of each request, and
// encodes the product's answer: the same statements in the same round trips, and no rules.
type reading struct {
	pool   *pgxpool.Pool
	source Source

	once             sync.Once
	tape             Tape
	subject, visitor string // recorded ids: of the path, and of the customer
	answer           json.RawMessage
	err              error
}

// ServeHTTP takes the customer as a parameter: the product finds it, but the tape needs it.
func (g *reading) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		g.once.Do(func() { g.err = g.record(r, body) })
		err = g.err
	}
	subject, visitor := mux.Vars(r)["id"], r.URL.Query().Get("customer")
	if err == nil {
		err = g.tape.Play(r.Context(), g.pool, Vars{g.subject: subject, g.visitor: visitor})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(g.answer) // the client is gone when this fails
}

// record makes the product answer the request here, and records its reads.
func (g *reading) record(r *http.Request, body []byte) error {
	ctx := context.WithoutCancel(r.Context())
	var tracer recorder
	store, err := db.Open(ctx, db.Config{URL: g.source.DatabaseURL, MaxConns: 2, Clock: time.Now, Tracer: &tracer})
	if err != nil {
		return err
	}
	defer store.Close()
	server, stop, err := productOn(ctx, store)
	if err != nil {
		return err
	}
	defer stop()
	tracer.readsToo()
	query := r.URL.Query()
	query.Del("customer")
	request := httptest.NewRequestWithContext(ctx, r.Method, r.URL.Path+"?"+query.Encode(),
		strings.NewReader(string(body)))
	request.Header = r.Header.Clone()
	answer := httptest.NewRecorder()
	server.Handler().ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		return fmt.Errorf("recording %s %s: %d %s", r.Method, r.URL.Path, answer.Code, answer.Body)
	}
	g.answer = bytes.Clone(answer.Body.Bytes())
	g.subject, g.visitor = mux.Vars(r)["id"], r.URL.Query().Get("customer")
	g.tape, err = newTape(tracer.reads(), idsBut(tracer.reads(), g.subject, g.visitor))
	return err
}

// idsBut returns the ids of a recording, except own ones: they are the same for every subject.
func idsBut(r recorded, own ...string) map[string]bool {
	others := map[string]bool{}
	for _, trip := range r {
		for _, q := range trip {
			for _, arg := range q.Arguments {
				text, ok := arg.([]byte)
				if !ok {
					text, _ = json.Marshal(arg) // a value without an encoding has no ids
				}
				for _, id := range idPattern.FindAllString(string(text), -1) {
					others[id] = !slices.Contains(own, id)
				}
			}
		}
	}
	return others
}

// productOn returns the product's API without a listener; stop ends it.
func productOn(ctx context.Context, store *db.Store) (server *api.Server, stop func(), err error) {
	quiet, err := telemetry.Start(ctx, telemetry.Options{
		Service: "bench", LogLevel: "error", LogOutput: nowhere{}, Now: time.Now,
	})
	if err != nil {
		return nil, nil, err
	}
	server = api.NewServer(api.Deps{
		Store: store, Service: service.New(store, time.Now), Telemetry: quiet, Now: time.Now,
	}, api.Config{})
	return server, func() {
		_ = server.Shutdown(ctx) // it never listened
		_ = quiet.Close(ctx)     // it exported nothing
	}, nil
}
