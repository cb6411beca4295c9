package simulator

import "net/http"

// reserve claims a key for the present request. If the key is taken it returns how to answer instead: the first
// answer again, a refusal because the parameters differ, or 409 while the first request is still running. A key older
// than the window is as good as new, which is what makes charging twice possible.
func (s *Server) reserve(key, mark string) (earlier func(http.ResponseWriter)) {
	if key == "" {
		return nil
	}
	if len(key) > 255 {
		return instead(invalid(http.StatusBadRequest, "", "", "Idempotency keys can have at most 255 characters."))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if running, busy := s.inFlight[key]; busy {
		if running != mark {
			return instead(keyMisused(key))
		}
		return instead(refusal(http.StatusConflict, failure{
			Type: "idempotency_error", Code: "idempotency_key_in_use",
			Message: "There is currently another in-progress request using this Idempotent Key (" + key + ").",
		}))
	}
	if used := s.state.keys[key]; used != nil {
		if s.config.Now().Sub(used.At) < s.config.IdempotencyWindow {
			if used.Fingerprint != mark {
				return instead(keyMisused(key))
			}
			return func(w http.ResponseWriter) {
				w.Header().Set("Idempotent-Replayed", "true")
				writeRaw(w, used.Status, 0, used.Body)
			}
		}
		delete(s.state.keys, key)
	}
	s.inFlight[key] = mark
	return nil
}

func (s *Server) release(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, key)
}

func keyMisused(key string) answer {
	return refusal(http.StatusBadRequest, failure{
		Type: "idempotency_error",
		Message: "Keys for idempotent requests can only be used with the same parameters they were first used with. Try " +
			"using a key other than '" + key + "'.",
	})
}

func instead(a answer) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { write(w, a) }
}
