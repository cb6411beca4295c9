package core

import (
	"encoding/json"
	"net/http"
	"time"
)

// controlRoutes are the routes by which tests and operators steer the simulator. They need no key: every client that
// reaches the port may use them.
func (s *Server) controlRoutes() http.Handler {
	mux := http.NewServeMux()
	for pattern, run := range map[string]http.HandlerFunc{
		"GET health": func(w http.ResponseWriter, _ *http.Request) {
			writeControl(w, http.StatusOK, map[string]string{"status": "ok", "provider": s.dialect.Name()})
		},
		"GET ledger": s.controlLedger,
		"GET requests": func(w http.ResponseWriter, _ *http.Request) {
			writeControl(w, http.StatusOK, s.Requests())
		},
		"POST clock":                  s.controlClock,
		"PUT cards/{token}":           s.controlScript,
		"POST payments/{ref}/settle":  s.controlSettle(func(c Controls) settle { return c.Settle }),
		"POST refunds/{ref}/settle":   s.controlSettle(func(c Controls) settle { return c.SettleRefund }),
		"POST payments/{ref}/refund":  s.controlRefund,
		"POST payments/{ref}/dispute": s.controlDispute,
		"POST disputes/{ref}/close":   s.controlCloseDispute,
		"DELETE idempotency_keys":     s.controlForgetKeys,
		"PUT outage":                  s.controlOutage,
		"GET faults":                  s.controlFaults,
		"POST faults":                 s.controlAddFault,
		"DELETE faults":               s.controlEndFaults,
		"GET callbacks": func(w http.ResponseWriter, _ *http.Request) {
			writeControl(w, http.StatusOK, s.sender.log())
		},
		"PUT callbacks":  s.controlCallbacks,
		"POST callbacks": s.controlSendCallback,
	} {
		method, path := split(pattern)
		mux.HandleFunc(method+" /_simulator/"+path, run)
	}
	mux.HandleFunc("/_simulator/", func(w http.ResponseWriter, r *http.Request) {
		writeControl(w, http.StatusNotFound, map[string]string{
			"error": "unknown command " + r.Method + " " + r.URL.Path + "; the README of the simulator lists them",
		})
	})
	return mux
}

// read decodes a small JSON body strictly; on failure it has answered already.
func read[T any](w http.ResponseWriter, r *http.Request, into *T) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		refuse(w, "the body is not the JSON this command takes: "+err.Error())
		return false
	}
	return true
}

func refuse(w http.ResponseWriter, message string) {
	writeControl(w, http.StatusBadRequest, map[string]string{"error": message})
}

// do runs a control of the dialect and answers once its changes are on disk.
func (s *Server) do(w http.ResponseWriter, what string, known bool, run func() Answer) {
	if !known {
		writeControl(w, http.StatusNotFound, map[string]string{
			"error": s.dialect.Name() + " has no such thing: " + what,
		})
		return
	}
	s.mu.Lock()
	s.settleDue()
	a := run()
	var n uint64
	if a.Effect != nil {
		n = s.commit(a.Effect, nil)
	} else {
		n = s.journal.last()
	}
	s.mu.Unlock()
	if err := s.journal.wait(n); err != nil {
		writeControl(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		return
	}
	if a.Effect != nil {
		s.sender.send(a.Effect.Messages...)
	}
	writeControl(w, a.Status, a.Body)
}

func (s *Server) controlLedger(w http.ResponseWriter, _ *http.Request) {
	list, err := s.Durable()
	if err != nil {
		writeControl(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		return
	}
	writeControl(w, http.StatusOK, list)
}

func (s *Server) controlForgetKeys(w http.ResponseWriter, _ *http.Request) {
	s.do(w, "", true, func() Answer { return Done(map[string]any{}, &Effect{Kind: keysForgotten}) })
}

// controlClock moves the provider's clock forward: keys grow old and scheduled events happen.
func (s *Server) controlClock(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Advance string `json:"advance"`
	}
	if !read(w, r, &in) {
		return
	}
	d, err := time.ParseDuration(in.Advance)
	if err != nil || d < 0 {
		refuse(w, `"advance" must be a duration such as "25h"`)
		return
	}
	s.do(w, "", true, func() Answer {
		s.offset += d
		s.settleDue()
		return Done(map[string]any{"now": s.Now().UTC()}, nil)
	})
}
