package simulator

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"perennial/providers/simulator/core"
)

// Control is the control API of all providers: /_simulator/ledger has the movements of all, /_simulator/{provider}/…
// is the control API of one. It answers also while a provider's own port is closed.
func (s *Simulator) Control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_simulator/health", func(w http.ResponseWriter, _ *http.Request) {
		names := []string{}
		for _, p := range s.providers {
			names = append(names, p.Name())
		}
		answer(w, http.StatusOK, map[string]any{"status": "ok", "providers": names})
	})
	mux.HandleFunc("GET /_simulator/ledger", func(w http.ResponseWriter, _ *http.Request) {
		all, err := s.Ledger()
		if err != nil {
			answer(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
			return
		}
		answer(w, http.StatusOK, all)
	})
	for _, p := range s.providers {
		mux.Handle("/_simulator/"+p.Name()+"/", forward(p))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusNotFound, map[string]string{
			"error": "unknown command " + r.Method + " " + r.URL.Path + "; the README of the simulator lists them",
		})
	})
	return mux
}

// Ledger returns the movements at all providers, oldest first, as far as they are on disk.
func (s *Simulator) Ledger() ([]core.Movement, error) {
	all := []core.Movement{}
	for _, p := range s.providers {
		moved, err := p.Durable()
		if err != nil {
			return nil, err
		}
		all = append(all, moved...)
	}
	slices.SortStableFunc(all, func(a, b core.Movement) int { return a.At.Compare(b.At) })
	return all, nil
}

// forward hands a command to the provider's own control API.
func forward(p *core.Server) http.Handler {
	prefix := "/_simulator/" + p.Name()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := r.Clone(r.Context())
		inner.URL = new(url.URL)
		*inner.URL = *r.URL
		inner.URL.Path = "/_simulator" + r.URL.Path[len(prefix):]
		if r.URL.RawPath != "" {
			inner.URL.RawPath = "/_simulator" + r.URL.RawPath[len(prefix):]
		}
		p.Handler().ServeHTTP(w, inner)
	})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller that left does not read it
}
