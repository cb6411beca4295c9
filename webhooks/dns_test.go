package webhooks_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// zone is a name server on loopback: each name has a list of answers, one for each look-up, and then the last again.
type zone struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
}

// resolver starts the server and returns a resolver that asks only this server.
func (z *zone) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	go func() {
		query := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(query)
			if err != nil {
				return
			}
			if answer := z.answer(query[:n]); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (z *zone) set(name string, answers ...[]netip.Addr) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.answers == nil {
		z.answers = map[string][][]netip.Addr{}
	}
	z.answers[name] = answers
}

// answer moves on to a name's next list after its A query; the resolver asks for A and AAAA of each look-up.
func (z *zone) answer(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	z.mu.Lock()
	defer z.mu.Unlock()
	list, ok := z.answers[name]
	if !ok {
		m.RCode = dnsmessage.RCodeNameError
	} else if len(list) > 1 && q.Type == dnsmessage.TypeA {
		z.answers[name] = list[1:]
	}
	if ok {
		for _, addr := range list[0] {
			header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0}
			switch {
			case q.Type == dnsmessage.TypeA && addr.Is4():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
			case q.Type == dnsmessage.TypeAAAA && addr.Is6():
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()},
				})
			}
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}
