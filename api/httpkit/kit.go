package httpkit

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gorilla/mux"

	"perennial/api/httpkit/seats"
	"perennial/db"
	"perennial/internal/quota"
	"perennial/internal/telemetry"
)

// Deps are the dependencies of a Kit.
type Deps struct {
	Store     *db.Store
	Telemetry *telemetry.Telemetry
	Now       func() time.Time // the real clock
}

// Config describes an API.
type Config struct {
	Title, Version string
	Introduction   string // paragraphs
	AboutKeys      string // how to authenticate
	Tags           []huma.Tag
	Problems       []Listed // all that a request can be refused with
	// Words describe the properties that have no description of their own; see describeProperties.
	Words map[string]string
	// Refusals are the codes of 402, 409 and 422 that an operation's handler makes, by the operation's name.
	Refusals map[string][]string
	// Prefixes under which every operation answers, from the same handler.
	Prefixes []string
	// PublicURL is the address of the API from outside, for the OpenAPI document. Empty: relative.
	PublicURL string
	// TrustedProxies may say in X-Forwarded-For for whom they ask.
	TrustedProxies []netip.Prefix
	// Bounds of every answer; zero: ten seconds altogether.
	Bounds Bounds
	// Requests bounds the requests of each API key; nil: any number.
	Requests *quota.Quota
	// Visitors bounds the requests of each address with a publishable key, which anyone can read in web pages.
	Visitors *quota.Quota
	// AtOnce bounds the operations that are worked on at one time; 0: any number.
	AtOnce int
}

// Kit serves operations over HTTP. Register adds them, Publish their documentation.
type Kit struct {
	store     *db.Store
	telemetry *telemetry.Telemetry
	now       func() time.Time
	config    Config
	bounds    Bounds
	turns     turns
	seats     *seats.Seats
	exhausted exhausted
	used      keyUse

	router *mux.Router
	paths  paths // of the operations
	huma   huma.API
	// literals are the paths of operations without variables, with their prefixes.
	literals map[string]bool
	// serving ends when waiting callers must be answered.
	serving  context.Context
	endWaits context.CancelFunc
}

// New makes a kit without operations.
func New(d Deps, c Config) *Kit {
	k := &Kit{
		store: d.Store, telemetry: d.Telemetry, now: d.Now, config: c, bounds: c.Bounds, seats: seats.New(c.AtOnce),
	}
	if k.bounds == (Bounds{}) {
		k.bounds = usualBounds
	}
	k.serving, k.endWaits = context.WithCancel(context.Background())
	k.route()
	return k
}

// Handler serves requests.
func (k *Kit) Handler() http.Handler {
	return k.telemetry.Middleware(headed(k.recovered(headIsGet(http.HandlerFunc(k.dispatch)))))
}

// Router is for routes that are no operations of the API.
func (k *Kit) Router() *mux.Router { return k.router }

// EndWaits ends waits for a final state, which are answered with the present one, because the process is about to end.
func (k *Kit) EndWaits() { k.endWaits() }
