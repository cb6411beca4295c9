package simulator

import (
	"net/http"
	"time"
)

// What people and banks do at the provider without its API: refund at the dashboard, dispute, decide a dispute.

func (s *Server) dashboardRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /_simulator/payment_intents/{id}/refund", s.adminRefund)
	mux.HandleFunc("POST /_simulator/payment_intents/{id}/dispute", s.adminDispute)
	mux.HandleFunc("POST /_simulator/disputes/{id}/close", s.adminCloseDispute)
}

// captured finds a captured intent under the lock that the caller holds; nil: it has answered already, and released it.
func (s *Server) captured(w http.ResponseWriter, r *http.Request) *intent {
	s.settleDue()
	pi := s.state.intents[r.PathValue("id")]
	if pi == nil || pi.Status != succeeded {
		s.mu.Unlock()
		refuseState(w, "no captured payment intent of that ID")
		return nil
	}
	return pi
}

func refuseState(w http.ResponseWriter, message string) {
	write(w, answer{status: http.StatusConflict, body: map[string]string{"error": message}})
}

func (s *Server) adminRefund(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Amount int64 `json:"amount"` // 0: all that is left
	}
	if !read(w, r, &in) {
		return
	}
	s.mu.Lock()
	pi := s.captured(w, r)
	if pi == nil {
		return
	}
	left := pi.Amount - pi.AmountRefunded
	if in.Amount == 0 {
		in.Amount = left
	}
	if in.Amount < 1 || in.Amount > left {
		s.mu.Unlock()
		refuseState(w, "the amount is more than what is left of the charge")
		return
	}
	next := *pi
	next.AmountRefunded += in.Amount
	re := &refund{
		ID: newID("re_"), Amount: in.Amount, Charge: pi.Charge, Created: s.config.Now().UTC().Truncate(time.Microsecond),
		Currency: pi.Currency, Intent: pi.ID, Live: pi.Live, Status: succeeded,
	}
	s.commitAndSend(&record{Kind: refunded, Intent: &next, Refund: re},
		s.event("refund.created", re.Live, re.render(), true), s.event("charge.refunded", next.Live, next.charge(), true))
	s.conclude(w, nil, re.render())
}

func (s *Server) adminDispute(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Amount  int64 `json:"amount"`  // 0: the charge's
		Inquiry bool  `json:"inquiry"` // a warning, which moves no money
	}
	if !read(w, r, &in) {
		return
	}
	if in.Amount < 0 {
		refuseAdmin(w, `"amount" must not be negative`)
		return
	}
	s.mu.Lock()
	pi := s.captured(w, r)
	if pi == nil {
		return
	}
	if in.Amount == 0 {
		in.Amount = pi.Amount
	}
	s.conclude(w, nil, s.openDispute(pi, in.Amount, in.Inquiry).render())
}

func (s *Server) adminCloseDispute(w http.ResponseWriter, r *http.Request) {
	var in settlement
	if !read(w, r, &in) {
		return
	}
	if in.Status != won && in.Status != lost {
		refuseAdmin(w, `status must be "won" or "lost"`)
		return
	}
	s.mu.Lock()
	d := s.state.disputes[r.PathValue("id")]
	if d == nil || (d.Status != needsResponse && d.Status != inquiry) {
		s.mu.Unlock()
		refuseState(w, "no open dispute of that ID")
		return
	}
	s.conclude(w, nil, s.closeDispute(d, in.Status).render())
}
