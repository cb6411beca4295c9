package httpkit

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
)

// readyBudget is less than load balancers wait.
const readyBudget = 2 * time.Second

var errDraining = fault.New(fault.Unavailable, "draining",
	"This server process is shutting down. Send the request again.")

// ErrDatabaseAway is the reason why a process that needs the database is not ready without it.
var ErrDatabaseAway = fault.New(fault.Unavailable, "database_unavailable",
	"The database does not respond. Try again in a moment.")

// Requirement is something that a process needs before it takes work.
type Requirement struct {
	Check  func(ctx context.Context) error
	Absent *fault.Error // the fault for callers; the cause is only logged
}

// Health serves whether a process runs, and whether it takes work. Every port of a process has one.
type Health struct {
	draining atomic.Bool
	needs    []Requirement
	log      *zap.Logger
	said     atomic.Value // string: code of the absence that was logged last; empty: ready
}

// NewHealth returns the health of a process with these requirements. Optional services are omitted on purpose: without
// Temporal, reads and creations still work.
func NewHealth(log *zap.Logger, needs ...Requirement) *Health {
	h := &Health{needs: needs, log: log}
	h.said.Store("")
	return h
}

// Drain makes the process not ready for good.
func (h *Health) Drain() { h.draining.Store(true) }

// Live responds that the process runs, and ignores its requirements: restarting us repairs no database.
func (h *Health) Live(w http.ResponseWriter, _ *http.Request) { writeOK(w) }

// Ready responds whether to send work here, or else the first missing requirement.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	if missing := h.missing(r.Context()); missing != nil {
		writeProblem(w, problemOf(missing, requestIDFrom(r.Context())))
		return
	}
	writeOK(w)
}

func (h *Health) missing(ctx context.Context) *fault.Error {
	if h.draining.Load() {
		return errDraining
	}
	ctx, cancel := context.WithTimeout(ctx, readyBudget)
	defer cancel()
	for _, need := range h.needs {
		if err := need.Check(ctx); err != nil {
			// Balancers ask every second or so: only a change is logged.
			if h.said.Swap(need.Absent.Code) != need.Absent.Code {
				h.log.Warn("not ready", zap.String("code", need.Absent.Code), zap.Error(err))
			}
			return need.Absent
		}
	}
	if h.said.Swap("") != "" {
		h.log.Info("ready again")
	}
	return nil
}

func writeOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", JSONType)
	_, _ = w.Write([]byte(`{"status":"ok"}`)) // the client is gone when this fails
}
