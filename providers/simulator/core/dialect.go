package core

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Dialect is one provider's protocol: routes, authentication, wire encoding, the signature of its callbacks, and the
// objects behind them. The server calls everything except Sign, Falsify, Decode and an endpoint's Read with its lock
// held; none of it may wait.
type Dialect interface {
	// Name is the provider's identifier in the API ("stripe").
	Name() string
	// Attach gives the dialect its server, once, before the ledger is read back.
	Attach(s *Server)
	// Endpoints are the paths by patterns of http.ServeMux ("POST /v1/refunds/{id}").
	Endpoints() map[string]Endpoint
	// Authenticate reads whose credentials the call carries into Live and Account; nil accepts them.
	Authenticate(c *Call) *Answer
	// Key returns the idempotency key of a call, empty where it has none, and the fingerprint that the key binds: two
	// calls of one key must have the same.
	Key(c *Call) (key, fingerprint string, refused *Answer)
	// Refuse words a refusal that is of no endpoint. subject is the key, or the method and path.
	Refuse(r Refusal, subject string) Answer
	// Stamp sets the headers that every answer of the provider has. replayed: it is a remembered one.
	Stamp(h http.Header, c *Call, replayed bool)
	// Decode reads a change back from the ledger.
	Decode(change json.RawMessage) (any, error)
	// Apply is the only place that changes the dialect's objects, both while serving and while the ledger is read back.
	Apply(change any)
	// Controls are the actions of people and banks for tests.
	Controls() Controls
	// Sign signs a callback.
	Sign(o Outgoing) Signed
	// Falsify returns the body of a callback with a lie in it, before it is signed.
	Falsify(body []byte, l Lie) ([]byte, error)
}

// Refusal is the reason why the server answers in place of an endpoint.
type Refusal string

// The refusals.
const (
	NoSuchPath  Refusal = "no such path"
	KeyInUse    Refusal = "key in use"      // the first call of the key is still running
	KeyMisused  Refusal = "key misused"     // with another fingerprint than the first time
	Broken      Refusal = "internal error"  // 500
	Unavailable Refusal = "unavailable"     // 503
	Overloaded  Refusal = "overloaded"      // 429, surely not carried out
	TooLarge    Refusal = "body unreadable" // larger than 1 MiB, or torn
)

// Endpoint is one path of the provider's API.
type Endpoint struct {
	Open bool // needs no authentication: a token endpoint, public keys
	// Read decodes the call into Input and refuses a malformed one. It may be nil.
	Read func(c *Call) *Answer
	// Delay returns the provider's delay before Run. It may be nil.
	Delay func(c *Call) time.Duration
	Run   func(c *Call) Answer
}

// Call is one request on its way to an endpoint.
type Call struct {
	Method  string
	Host    string // as the request named it
	Path    string
	Header  http.Header
	Query   url.Values
	Body    []byte
	Live    bool
	Account string // whose credentials it carried
	Input   any    // the result of Read
	value   func(name string) string
}

// PathValue is a wildcard of the endpoint's pattern.
func (c *Call) PathValue(name string) string { return c.value(name) }

// Answer is a decision: the reply, the entry that the ledger must have before anyone sees the reply, and whether it is
// sent at all.
type Answer struct {
	Status   int
	Body     any         // encoded as JSON; nil: an empty body
	Header   http.Header // in addition to those of Stamp
	Effect   *Effect     // nil where nothing changed
	Remember bool        // store the reply under the idempotency key
	Hang     bool        // do everything, then never answer
}

// Effect is one change: a line of the ledger.
type Effect struct {
	Kind      string // names the line for its readers
	Change    any    // the dialect's objects as they are afterwards, JSON
	Movements []Movement
	Messages  []Message // to send once the change is on disk
}

// Message is a callback with a frozen object. Asynchronous means that no answer has shown the change.
type Message struct {
	ID           string
	Type         string
	Asynchronous bool
	Body         []byte
}

// Outgoing is one attempt to send a message.
type Outgoing struct {
	URL    *url.URL
	Body   []byte
	Secret string
	At     time.Time
	Forged bool // the signature must be wrong
}

// Signed is a message as it goes out. Header is added to the content type.
type Signed struct {
	Header http.Header
	Body   []byte
}

// Lie is the false part of a callback that is otherwise genuine.
type Lie string

// The lies.
const (
	WrongAmount      Lie = "wrong_amount"
	UnknownReference Lie = "unknown_reference"
)
