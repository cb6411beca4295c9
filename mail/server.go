package mail

import (
	"net/netip"
	"strings"

	"perennial/billing/fault"
)

// Security says how a connection is protected.
type Security string

// The kinds of security.
const (
	StartTLS    Security = "starttls" // the connection turns to TLS before anything is said; it ends where it cannot
	ImplicitTLS Security = "tls"      // TLS from the first byte
	Plain       Security = "none"     // to this machine only
)

// Server is where mail is handed in.
type Server struct {
	Host     string
	Port     int
	Security Security
	User     string // empty: without login
	Password string
}

// Check refuses a server that no connection can be made to as it should. Faults: smtp_security_required,
// smtp_login_incomplete.
func (s Server) Check() error {
	switch {
	case s.Security == Plain && !Loopback(s.Host):
		return fault.InvalidParam("security", "smtp_security_required",
			"`security` none is for a server on this machine only. Send starttls or tls.")
	case (s.User == "") != (s.Password == ""):
		return fault.InvalidParam("password", "smtp_login_incomplete",
			"`user` and `password` belong together. Send both, or neither for a server without login.")
	}
	return nil
}

// Loopback reports whether a host is this machine by its name alone.
func Loopback(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}
