// Package certfile owns the certificate that a server shows: it is read from two files, and read again when they
// change, so that a renewed certificate needs no restart.
package certfile

import (
	"crypto/tls"
	"os"
	"sync"
	"time"
)

// lookEvery is the time between two checks by handshakes whether the files have changed.
const lookEvery = 5 * time.Second

// Pair is a certificate with its key. It is safe for concurrent use.
type Pair struct {
	cert, key string // paths
	now       func() time.Time
	failed    func(error)

	mu     sync.Mutex
	shown  *tls.Certificate
	state  [2]stamp
	looked time.Time
}

// stamp shows whether a file has changed.
type stamp struct {
	changed time.Time
	size    int64
}

// Open reads a certificate and its key, PEM files. If the files later become unreadable or do not match each other,
// failed is called, and the earlier certificate stays in use.
func Open(cert, key string, now func() time.Time, failed func(error)) (*Pair, error) {
	p := &Pair{cert: cert, key: key, now: now, failed: failed}
	p.looked = now()
	return p, p.read()
}

// Config is for a server that speaks TLS 1.2 or newer, and HTTP/2 where the client does.
func (p *Pair) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.certificate(), nil },
	}
}

func (p *Pair) certificate() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.now(); now.Sub(p.looked) >= lookEvery {
		p.looked = now
		if err := p.read(); err != nil {
			p.failed(err)
		}
	}
	return p.shown
}

// read reads the files if they have changed. Two files are never replaced at the same instant: files that do not match
// each other are read again the next time.
func (p *Pair) read() error {
	state := [2]stamp{}
	for i, path := range []string{p.cert, p.key} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		state[i] = stamp{info.ModTime(), info.Size()}
	}
	if p.shown != nil && state == p.state {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		return err
	}
	p.shown, p.state = &pair, state
	return nil
}
