package receiver

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Step is one answer.
type Step func(exchange)

// exchange is one request that waits for its answer.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	stop <-chan struct{}
}

// Status answers with a status and a short body.
func Status(status int) Step {
	return func(e exchange) {
		e.w.WriteHeader(status)
		fmt.Fprintf(e.w, "answer %d", status) //nolint:errcheck // a sender may have gone
	}
}

// Answer answers with a status, a header and a body.
func Answer(status int, header http.Header, body string) Step {
	return func(e exchange) {
		for name, values := range header {
			e.w.Header()[name] = values
		}
		e.w.WriteHeader(status)
		fmt.Fprint(e.w, body) //nolint:errcheck // a sender may have gone
	}
}

// Redirect answers 307, which would repeat the POST at the target.
func Redirect(target string) Step {
	return Answer(http.StatusTemporaryRedirect, http.Header{"Location": {target}}, "")
}

// Hang answers 200 after d.
func Hang(d time.Duration) Step {
	return func(e exchange) {
		if e.sleep(d) {
			e.w.WriteHeader(http.StatusOK)
		}
	}
}

// Reset closes the connection with a reset instead of answering.
func Reset() Step {
	return func(e exchange) {
		if conn := e.hijack(); conn != nil {
			if over, ok := conn.(*tls.Conn); ok {
				conn = over.NetConn()
			}
			if tcp, ok := conn.(*net.TCPConn); ok {
				tcp.SetLinger(0) //nolint:errcheck // best effort: without it the connection ends in order, which is a reset too
			}
			conn.Close() //nolint:errcheck // that is the point
		}
	}
}

// Huge answers 200 with a body of n bytes, as fast as they are read.
func Huge(n int) Step {
	return func(e exchange) {
		chunk := strings.Repeat("x", 32<<10)
		for n > 0 {
			if _, err := e.w.Write([]byte(chunk[:min(n, len(chunk))])); err != nil {
				return
			}
			n -= len(chunk)
		}
	}
}

// DripHeaders answers 200, one byte of a header each gap, without end.
func DripHeaders(gap time.Duration) Step {
	return func(e exchange) { e.drip("HTTP/1.1 200 OK\r\nX-Slow: ", "y", gap) }
}

// DripBody answers 200 at once, and then one byte of the body each gap, without end.
func DripBody(gap time.Duration) Step {
	return func(e exchange) { e.drip("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", "z", gap) }
}

// Raw writes bytes instead of an HTTP answer and closes the connection.
func Raw(answer string) Step {
	return func(e exchange) {
		if conn := e.hijack(); conn != nil {
			fmt.Fprint(conn, answer) //nolint:errcheck // a sender may have gone
			conn.Close()             //nolint:errcheck // that is the point
		}
	}
}

func (e exchange) drip(first, then string, gap time.Duration) {
	conn := e.hijack()
	if conn == nil {
		return
	}
	defer conn.Close() //nolint:errcheck // that is the point
	for text := first; ; text = then {
		if _, err := fmt.Fprint(conn, text); err != nil || !e.sleep(gap) {
			return
		}
	}
}

func (e exchange) hijack() net.Conn {
	hijacker, ok := e.w.(http.Hijacker)
	if !ok {
		return nil
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return nil
	}
	return conn
}

// sleep reports whether the time passed before the sender left and before the test ended.
func (e exchange) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-e.r.Context().Done():
	case <-e.stop:
	}
	return false
}
