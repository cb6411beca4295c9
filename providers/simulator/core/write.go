package core

import (
	"encoding/json"
	"maps"
	"net/http"
	"time"
)

// reply has the circumstances of an answer.
type reply struct {
	replayed bool
	fault    *Fault // that strikes after everything is done
}

// write sends the decided answer, or fails to.
func (s *Server) write(w http.ResponseWriter, r *http.Request, c *Call, a Answer, how reply) {
	if a.Hang {
		s.hang(r)
	}
	body, err := encode(a.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if how.fault != nil {
		switch how.fault.Kind {
		case FaultHangBooked:
			s.hang(r)
		case FaultResetBooked:
			reset(w)
		case Fault500Booked, Fault503Booked:
			a = s.dialect.Refuse(how.fault.Kind.refusal(), c.Method+" "+c.Path)
			if body, err = encode(a.Body); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		case FaultBadJSON:
			body = append([]byte("<html>"), body[:len(body)/2]...)
		default: // strikes elsewhere
		}
	}
	w.Header().Set("Content-Type", "application/json")
	s.dialect.Stamp(w.Header(), c, how.replayed)
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	if how.fault != nil && how.fault.Kind == FaultSlowBody {
		s.trickle(w, r, body, how.fault.wait)
		return
	}
	_, _ = w.Write(body) // the client may have left: its request is in the ledger
}

func encode(body any) ([]byte, error) {
	switch b := body.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return b, nil
	}
	return json.Marshal(body)
}

// trickle sends the body in ten parts over the time given.
func (s *Server) trickle(w http.ResponseWriter, r *http.Request, body []byte, over time.Duration) {
	flush := http.NewResponseController(w)
	for part := range 10 {
		from, to := len(body)*part/10, len(body)*(part+1)/10
		if _, err := w.Write(body[from:to]); err != nil || r.Context().Err() != nil {
			return
		}
		_ = flush.Flush() // only a client that left fails it
		s.pause(over / 10)
	}
}

// writeControl answers a command of the control API.
func writeControl(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the command is carried out already
}
