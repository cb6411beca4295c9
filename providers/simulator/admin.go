package simulator

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// adminRoutes are how tests and operators steer the simulator. They need no key: whoever reaches the port may.
func (s *Server) adminRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_simulator/health", func(w http.ResponseWriter, _ *http.Request) {
		write(w, ok(map[string]any{"status": "ok"}))
	})
	mux.HandleFunc("GET /_simulator/ledger", s.adminLedger)
	mux.HandleFunc("PUT /_simulator/cards/{token}", s.adminCard)
	mux.HandleFunc("POST /_simulator/payment_intents/{id}/settle", s.adminSettleIntent)
	mux.HandleFunc("POST /_simulator/refunds/{id}/settle", s.adminSettleRefund)
	s.dashboardRoutes(mux)
	mux.HandleFunc("DELETE /_simulator/idempotency_keys", s.adminForgetKeys)
	mux.HandleFunc("PUT /_simulator/outage", s.adminOutage)
	mux.HandleFunc("GET /_simulator/callbacks", func(w http.ResponseWriter, _ *http.Request) {
		write(w, ok(s.sender.log()))
	})
	mux.HandleFunc("PUT /_simulator/callbacks", s.adminCallbacks)
	mux.HandleFunc("POST /_simulator/callbacks", s.adminSendCallback)
	return mux
}

// read decodes a small JSON body strictly; on failure it has answered already.
func read[T any](w http.ResponseWriter, r *http.Request, into *T) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		refuseAdmin(w, "the body is not the JSON this command takes: "+err.Error())
		return false
	}
	return true
}

func refuseAdmin(w http.ResponseWriter, message string) {
	write(w, answer{status: http.StatusBadRequest, body: map[string]string{"error": message}})
}

// conclude commits under the lock that the caller holds, releases it, and answers once the change is durable.
func (s *Server) conclude(w http.ResponseWriter, rec *record, body any) {
	line := s.commit(rec)
	s.mu.Unlock()
	if err := s.journal.wait(line); err != nil {
		write(w, answer{status: http.StatusInternalServerError, body: map[string]string{"error": err.Error()}})
		return
	}
	write(w, ok(body))
}

func (s *Server) adminLedger(w http.ResponseWriter, _ *http.Request) {
	list := s.Ledger()
	if err := s.journal.wait(s.journal.last()); err != nil {
		write(w, answer{status: http.StatusInternalServerError, body: map[string]string{"error": err.Error()}})
		return
	}
	write(w, ok(list))
}

func (s *Server) adminCard(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Behaviour string `json:"behaviour"`
		Customer  string `json:"customer"`
	}
	if !read(w, r, &in) {
		return
	}
	token := r.PathValue("token")
	if _, known := behaviourNamed(in.Behaviour); !known && in.Behaviour != "" {
		refuseAdmin(w, "unknown behaviour; the known ones are "+strings.Join(behaviourNames(), ", "))
		return
	}
	if !strings.HasPrefix(token, "pm_") && !strings.HasPrefix(token, "cus_") {
		refuseAdmin(w, "a card is named by its payment method (pm_…) or by its customer (cus_…)")
		return
	}
	s.mu.Lock()
	c := card{Token: token, Behaviour: in.Behaviour, Scope: in.Customer}
	c.Owner = s.state.cards[c.name()].Owner // a script does not detach the card
	s.conclude(w, &record{Kind: cardChanged, Card: &c}, c)
}

// settlement is how a test ends something pending.
type settlement struct {
	Status string `json:"status"`
}

func (in settlement) valid(w http.ResponseWriter) bool {
	if in.Status != succeeded && in.Status != failed {
		refuseAdmin(w, `status must be "succeeded" or "failed"`)
		return false
	}
	return true
}

func (s *Server) adminSettleIntent(w http.ResponseWriter, r *http.Request) {
	var in settlement
	if !read(w, r, &in) || !in.valid(w) {
		return
	}
	s.mu.Lock()
	s.settleDue()
	pi := s.state.intents[r.PathValue("id")]
	if pi == nil || (pi.Status != processing && pi.Status != requiresAction) {
		s.mu.Unlock()
		write(w, answer{
			status: http.StatusConflict, body: map[string]string{"error": "no pending payment intent of that ID"},
		})
		return
	}
	s.conclude(w, nil, s.settleIntent(pi, in.Status).render())
}

func (s *Server) adminSettleRefund(w http.ResponseWriter, r *http.Request) {
	var in settlement
	if !read(w, r, &in) || !in.valid(w) {
		return
	}
	s.mu.Lock()
	re := s.state.refunds[r.PathValue("id")]
	if re == nil || re.Status == failed || re.Status == in.Status {
		s.mu.Unlock()
		write(w, answer{
			status: http.StatusConflict,
			body:   map[string]string{"error": "no refund of that ID that could still become " + in.Status},
		})
		return
	}
	s.conclude(w, nil, s.settleRefund(re, in.Status).render())
}

func (s *Server) adminForgetKeys(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	s.conclude(w, &record{Kind: keysForgotten}, map[string]any{})
}

func (s *Server) adminOutage(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Mode string `json:"mode"`
		For  string `json:"for"`
	}
	if !read(w, r, &in) {
		return
	}
	lasts, err := time.ParseDuration(in.For)
	if in.For != "" && (err != nil || lasts <= 0) {
		refuseAdmin(w, `"for" must be a duration such as "5s"`)
		return
	}
	if !slices.Contains(outageModes, in.Mode) {
		refuseAdmin(w, `"mode" must be one of refuse, 500, 429, hang, or empty to end the outage`)
		return
	}
	if in.Mode == "refuse" && in.For == "" {
		refuseAdmin(w, `"for" is needed with refuse, because nobody can reach a closed port to open it`)
		return
	}
	o := outage{mode: in.Mode}
	if in.For != "" {
		o.until = s.config.Now().Add(lasts)
	}
	s.mu.Lock()
	s.outage = o
	s.mu.Unlock()
	if in.Mode == "refuse" {
		w.Header().Set("Connection", "close")
		s.gate.shut(r.RemoteAddr)
		time.AfterFunc(lasts, s.reopen)
	}
	write(w, ok(in))
}

// reopen insists: the port may be taken for a moment by a client's outgoing connection.
func (s *Server) reopen() {
	if s.gate.open() != nil && s.closing.Err() == nil {
		time.AfterFunc(50*time.Millisecond, s.reopen)
	}
}
