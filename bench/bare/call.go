package bare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"

	"github.com/google/uuid"
)

// Call is the recorded request to the provider.
type Call struct {
	method   string
	path     string
	header   http.Header
	body     text
	recorded string // the provider's id of the payment in the recording
}

// proxy is between the product and the simulator during the recording.
type proxy struct {
	server *httptest.Server
	mu     sync.Mutex
	seen   []exchange
}

type exchange struct {
	method, path string
	header       http.Header
	body, answer []byte
}

func newProxy(target string) (*proxy, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	p := &proxy{}
	forward := httputil.NewSingleHostReverseProxy(to)
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		header := r.Header.Clone()
		header.Del("Accept-Encoding") // otherwise the answer would be compressed here
		r.Header, r.Body = header.Clone(), io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		forward.ServeHTTP(answer, r)
		p.mu.Lock()
		p.seen = append(p.seen, exchange{r.Method, r.URL.Path, header, body, answer.Body.Bytes()})
		p.mu.Unlock()
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the client is gone when this fails
	}))
	return p, nil
}

func (p *proxy) url() string { return p.server.URL }
func (p *proxy) close()      { p.server.Close() }

// call returns the only request.
func (p *proxy) call(constant map[string]bool) (Call, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) != 1 {
		return Call{}, fmt.Errorf("recording charge: %d requests to the provider, not one", len(p.seen))
	}
	x := p.seen[0]
	given, err := idIn(x.answer)
	body := cut(string(x.body), constant)
	if err == nil && body == nil {
		err = errors.New("recording charge: the request names no transaction")
	}
	x.header.Del("Content-Length")
	return Call{method: x.method, path: x.path, header: x.header, body: body, recorded: given}, err
}

// Send makes the call with its own key, and records the provider's id of the payment.
func (c Call) Send(ctx context.Context, client *http.Client, base string, vars Vars) error {
	request, err := http.NewRequestWithContext(ctx, c.method, base+c.path, bytes.NewBufferString(c.body.with(vars)))
	if err != nil {
		return err
	}
	request.Header = c.header.Clone()
	request.Header.Set("Idempotency-Key", uuid.NewString())
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was read to its end
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("provider: %d %s", answer.StatusCode, body)
	}
	vars[c.recorded], err = idIn(body)
	return err
}

func idIn(document []byte) (string, error) {
	var v struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(document, &v); err != nil || v.ID == "" {
		return "", fmt.Errorf("no id in %.200s", document)
	}
	return v.ID, nil
}
