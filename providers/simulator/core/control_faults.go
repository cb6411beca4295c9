package core

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// faultOrder is either a Fault or, with "callback" in place of "kind", a CallbackFault.
type faultOrder struct {
	Kind       FaultKind    `json:"kind"`
	Callback   CallbackKind `json:"callback"`
	Path       string       `json:"path"`
	Type       string       `json:"type"`
	Count      int          `json:"count"`
	After      int          `json:"after"`
	Delay      string       `json:"delay"`
	RetryAfter int          `json:"retry_after"`
}

func (s *Server) controlAddFault(w http.ResponseWriter, r *http.Request) {
	in := faultOrder{Count: 1}
	if !read(w, r, &in) {
		return
	}
	wait, problem := in.check()
	if problem != "" {
		refuse(w, problem)
		return
	}
	if in.Callback != "" {
		f := &CallbackFault{Kind: in.Callback, Type: in.Type, Count: in.Count, Delay: in.Delay, wait: wait}
		s.sender.mu.Lock()
		s.sender.faults = append(s.sender.faults, f)
		s.sender.mu.Unlock()
		writeControl(w, http.StatusOK, in)
		return
	}
	f := &Fault{
		Kind: in.Kind, Path: in.Path, Count: in.Count, After: in.After, Delay: in.Delay,
		RetryAfter: in.RetryAfter, wait: wait,
	}
	s.mu.Lock()
	s.faults = append(s.faults, f)
	s.mu.Unlock()
	writeControl(w, http.StatusOK, in)
}

func (in faultOrder) check() (wait time.Duration, problem string) {
	wait = time.Second
	if in.Callback != "" {
		wait = 2 * time.Second
	}
	if in.Delay != "" {
		var err error
		if wait, err = time.ParseDuration(in.Delay); err != nil || wait < 0 {
			return 0, `"delay" must be a duration such as "5s"`
		}
	}
	switch {
	case (in.Kind == "") == (in.Callback == ""):
		return 0, `name either a "kind" of fault or the "callback" fault`
	case in.Kind != "" && !slices.Contains(faultKinds, in.Kind):
		return 0, fmt.Sprintf(`"kind" must be one of %v`, faultKinds)
	case in.Callback != "" && !slices.Contains(callbackKinds, in.Callback):
		return 0, fmt.Sprintf(`"callback" must be one of %v`, callbackKinds)
	case in.Count < 1 || in.After < 0 || in.RetryAfter < 0:
		return 0, `"count" must be at least 1; "after" and "retry_after" must not be negative`
	}
	return wait, ""
}

// controlFaults lists the pending faults.
func (s *Server) controlFaults(w http.ResponseWriter, _ *http.Request) {
	list := struct {
		Requests  []Fault         `json:"requests"`
		Callbacks []CallbackFault `json:"callbacks"`
	}{[]Fault{}, []CallbackFault{}}
	s.mu.Lock()
	for _, f := range s.faults {
		list.Requests = append(list.Requests, *f)
	}
	s.mu.Unlock()
	s.sender.mu.Lock()
	for _, f := range s.sender.faults {
		list.Callbacks = append(list.Callbacks, *f)
	}
	s.sender.mu.Unlock()
	writeControl(w, http.StatusOK, list)
}

func (s *Server) controlEndFaults(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	s.faults = nil
	s.mu.Unlock()
	s.sender.mu.Lock()
	s.sender.faults = nil
	s.sender.mu.Unlock()
	writeControl(w, http.StatusOK, map[string]any{})
}

func (s *Server) controlOutage(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Mode string `json:"mode"`
		For  string `json:"for"`
	}
	if !read(w, r, &in) {
		return
	}
	lasts, err := time.ParseDuration(in.For)
	if in.For != "" && (err != nil || lasts <= 0) {
		refuse(w, `"for" must be a duration such as "5s"`)
		return
	}
	if !slices.Contains(outageModes, in.Mode) {
		refuse(w, `"mode" must be one of refuse, 500, 503, 429, hang, or empty to end the outage`)
		return
	}
	if in.Mode == "refuse" && in.For == "" {
		refuse(w, `"for" is needed with refuse, because nobody can reach a closed port to open it`)
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
	if in.Mode != "refuse" {
		s.reopen() // by way of the common control port a closed one can be opened early
	}
	writeControl(w, http.StatusOK, in)
}

// reopen insists: the port may be taken for a moment by a client's outgoing connection.
func (s *Server) reopen() {
	if s.gate.open() != nil && s.closing.Err() == nil {
		time.AfterFunc(50*time.Millisecond, s.reopen)
	}
}
