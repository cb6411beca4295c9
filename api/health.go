package api

import (
	"context"
	"net/http"
	"time"

	"perennial/billing/fault"
)

// readyBudget is less than load balancers wait.
const readyBudget = 2 * time.Second

var (
	errDraining = fault.New(fault.Unavailable, "draining", "this process is shutting down; another one answers")
	errNotReady = fault.New(fault.Unavailable, "database_unavailable", "the database does not answer")
)

// health says that the process runs.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) { writeOK(w) }

// ready says whether to send requests here. Temporal is left out on purpose: without it reads and creations still work.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyBudget)
	defer cancel()
	if s.draining.Load() {
		writeProblem(w, s.refuse(ctx, errDraining))
		return
	}
	if err := s.store.Ping(ctx); err != nil {
		writeProblem(w, s.refuse(ctx, errNotReady.Because(err)))
		return
	}
	writeOK(w)
}

func writeOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write([]byte(`{"status":"ok"}`)) // the client is gone when this fails
}
