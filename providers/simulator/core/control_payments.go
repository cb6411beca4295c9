package core

import (
	"net/http"
	"strings"
)

// The actions of people and banks at the provider outside its API: approve, refuse, refund at the dashboard, dispute,
// decide.

type settle = func(ref string, to Settlement) Answer

func split(pattern string) (method, path string) {
	method, path, _ = strings.Cut(pattern, " ")
	return method, path
}

func (s *Server) controlSettle(which func(Controls) settle) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Status Settlement `json:"status"`
		}
		if !read(w, r, &in) {
			return
		}
		if in.Status != Succeed && in.Status != Fail && in.Status != Expire {
			refuse(w, `"status" must be "succeeded", "failed" or "expired"`)
			return
		}
		run := which(s.dialect.Controls())
		s.do(w, "settling it", run != nil, func() Answer { return run(r.PathValue("ref"), in.Status) })
	}
}

func (s *Server) controlRefund(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Amount int64 `json:"amount"` // 0: all that is left
	}
	if !read(w, r, &in) {
		return
	}
	if in.Amount < 0 {
		refuse(w, `"amount" must not be negative`)
		return
	}
	run := s.dialect.Controls().Refund
	s.do(w, "a refund at its dashboard", run != nil, func() Answer { return run(r.PathValue("ref"), in.Amount) })
}

func (s *Server) controlDispute(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Amount  int64 `json:"amount"`  // 0: the charge's
		Inquiry bool  `json:"inquiry"` // a warning, which moves no money
	}
	if !read(w, r, &in) {
		return
	}
	if in.Amount < 0 {
		refuse(w, `"amount" must not be negative`)
		return
	}
	run := s.dialect.Controls().Dispute
	s.do(w, "a dispute", run != nil, func() Answer { return run(r.PathValue("ref"), in.Amount, in.Inquiry) })
}

func (s *Server) controlCloseDispute(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Status string `json:"status"`
	}
	if !read(w, r, &in) {
		return
	}
	if in.Status != "won" && in.Status != "lost" {
		refuse(w, `"status" must be "won" or "lost"`)
		return
	}
	run := s.dialect.Controls().CloseDispute
	s.do(w, "a dispute", run != nil, func() Answer { return run(r.PathValue("ref"), in.Status == "won") })
}

func (s *Server) controlScript(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Behaviour string `json:"behaviour"`
		Customer  string `json:"customer"`
	}
	if !read(w, r, &in) {
		return
	}
	run := s.dialect.Controls().Script
	s.do(w, "a scripted payment method", run != nil, func() Answer {
		return run(Script{Token: r.PathValue("token"), Behaviour: in.Behaviour, Customer: in.Customer})
	})
}
