// Package mailbox owns the mailbox of a machine on which the service is developed: a mail server on loopback that keeps
// what it gets, and pages that show it. It hands nothing on. It does not own what mails say (documents/letters) nor how
// they are sent (mail).
package mailbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// Bounds of what is kept in memory: the newest mails.
const (
	mostMails = 500
	mostBytes = 20 << 20 // of one mail
	patience  = time.Minute
)

// Config is where a mailbox listens.
type Config struct {
	SMTP, Pages string // addresses with ports, of loopback
	Now         func() time.Time
}

// Box is a running mailbox.
type Box struct {
	smtp  *smtp.Server
	pages *http.Server
	url   string
	now   func() time.Time
	done  sync.WaitGroup

	mu    sync.Mutex
	mails []Mail // the oldest first
	last  int    // number of the newest
}

// Start starts a mailbox. It refuses addresses other than loopback: whoever reaches it reads all mails.
func Start(ctx context.Context, c Config) (*Box, error) {
	b := &Box{url: "http://" + c.Pages, now: c.Now}
	in, err := listen(ctx, c.SMTP)
	if err != nil {
		return nil, err
	}
	out, err := listen(ctx, c.Pages)
	if err != nil {
		_ = in.Close() // the failure is the news
		return nil, err
	}
	b.smtp = newServer(b)
	b.pages = &http.Server{Handler: b.handler(), ReadHeaderTimeout: patience, WriteTimeout: patience}
	b.done.Go(func() { _ = b.smtp.Serve(in) })   // ends with Stop
	b.done.Go(func() { _ = b.pages.Serve(out) }) // ends with Stop
	return b, nil
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("mailbox: %w", err)
	}
	if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		_ = listener.Close() // the failure is the news
		return nil, errors.New("mailbox: " + address + " is not an address of this machine alone")
	}
	return listener, nil
}

// URL is the address of the pages.
func (b *Box) URL() string { return b.url }

// Stop ends the mailbox. What it kept is gone.
func (b *Box) Stop(ctx context.Context) error {
	err := errors.Join(b.pages.Shutdown(ctx), b.smtp.Close())
	b.done.Wait()
	return err
}

// keep adds a mail, and forgets the oldest where there are too many.
func (b *Box) keep(m Mail) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	m.Number, m.At = b.last, b.now()
	if b.mails = append(b.mails, m); len(b.mails) > mostMails {
		b.mails = b.mails[1:]
	}
}

// Mails returns what is kept, the newest first.
func (b *Box) Mails() []Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	mails := make([]Mail, 0, len(b.mails))
	for i := range b.mails {
		mails = append(mails, b.mails[len(b.mails)-1-i])
	}
	return mails
}

// find returns the mail of a number.
func (b *Box) find(number int) (Mail, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.mails {
		if m.Number == number {
			return m, true
		}
	}
	return Mail{}, false
}
