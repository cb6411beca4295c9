package core

// Connections returns the number of connections that the gate keeps.
func (s *Server) Connections() int {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	return len(s.gate.conns)
}

// EndOutage opens the port before its time.
func (s *Server) EndOutage() {
	s.mu.Lock()
	s.outage = outage{}
	s.mu.Unlock()
	s.reopen()
}

// InFlight reports whether a call of the key is running.
func (s *Server) InFlight(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, busy := s.inFlight[key]
	return busy
}
