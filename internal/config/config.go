// Package config owns the settings of a process: what each environment variable means, its default, and what to do when
// it is wrong. It does not own when they are read: cmd/perennial reads the environment once, at start, and passes
// values.
package config

import (
	"net/netip"
	"time"
)

// Command is a subcommand of `perennial`; some variables are needed only by some.
type Command string

// The commands that need settings.
const (
	API       Command = "api"
	Worker    Command = "worker"
	Serve     Command = "serve" // api and worker in one process
	Simulator Command = "simulator"
	Migrate   Command = "migrate"
	Key       Command = "key"
	Doctor    Command = "doctor"
	Build     Command = "build"
	Listen    Command = "listen"
	Payment   Command = "payment"
)

// Config has every setting of a process. A zero value is an absent variable without a default.
type Config struct {
	Database  Database
	Temporal  Temporal
	HTTP      HTTP
	Telemetry Telemetry
	Worker    WorkerSettings
	Stripe    Stripe
	Providers Providers
	Webhooks  Webhooks
	Mail      Mail
	Simulator SimulatorSettings
	Client    ClientSettings
	Documents Documents

	// KEK is the text of the key-encryption key, for vault.New.
	KEK Secret
	// BuildID and Deployment name this build for Temporal's worker versioning.
	BuildID    string
	Deployment string
}

// Database is PostgreSQL. The pools are separate so that a flood of one kind of work cannot starve another.
type Database struct {
	URL            Secret // it usually holds a password
	PoolAPI        int
	PoolActivities int
	PoolWebhooks   int
}

// Documents has what invoices are drawn with.
type Documents struct {
	Font string // path of a font for characters that the built-in one lacks; empty: none
}

// Temporal is the engine.
type Temporal struct {
	Address   string
	Namespace string
	APIKey    Secret
	TLS       bool
	TLSCert   string // path
	TLSKey    string // path
	TLSCA     string // path
	UIURL     string
}

// HTTP has the addresses of the API, to listen on and from outside.
type HTTP struct {
	ListenAddress  string
	MetricsAddress string
	PublicURL      string
	DrainDelay     time.Duration
	DrainTimeout   time.Duration
	TrustedProxies []netip.Prefix
	TLSCert        string // path; empty: no TLS
	TLSKey         string // path
	KeyRate        int    // requests of one API key a second
	KeyBurst       int    // and at once
	RequestsAtOnce int
}

// Telemetry is logs and traces.
type Telemetry struct {
	LogLevel     string
	OTLPEndpoint string // empty: traces are not exported
}

// WorkerSettings bound the work of one worker process.
type WorkerSettings struct {
	DrainTimeout       time.Duration
	ActivitySlots      int
	AccountSlots       int // for requests to one provider account
	LocalActivitySlots int
	WorkflowSlots      int
	CachedWorkflows    int
	Pollers            int
	MakeCurrent        bool
	ReconcileEvery     time.Duration
	ReconcileRate      int // a second
	BootstrapEvery     time.Duration
	AbsenceGap         time.Duration
	ConfirmWithin      time.Duration
}

// Webhooks configures the delivery of events.
type Webhooks struct {
	// LocalReceivers are networks that endpoints of test environments may use although they are not on the internet.
	LocalReceivers []netip.Prefix
	// Retries are the pauses before each retry, of live and of test environments.
	Retries, TestRetries []time.Duration
	// RetrySpread is the part of a pause, in percent, by which it may be shorter or longer.
	RetrySpread int
	Slots       int
}

// Mail configures the sending of mails.
type Mail struct {
	// Relays are networks in which mail servers may be although they are not on the internet.
	Relays []netip.Prefix
}

// Stripe is the operator's part of the adapter; credentials belong to apps and live in the database.
type Stripe struct {
	APIURL       string
	Timeout      time.Duration
	ReplayWindow time.Duration
}

// Providers are the addresses of the other payment providers; empty: their own.
type Providers struct {
	AdyenURL, PawaPayURL, FlutterwaveURL string
	// APIHosts are hosts that credentials may name in addition to the provider's own.
	APIHosts []string
}

// ClientSettings are for commands that use the API as an app does.
type ClientSettings struct {
	APIURL string
	APIKey Secret
}

// SimulatorSettings place the provider simulator.
type SimulatorSettings struct {
	// The ports of Stripe, of the other providers, and of the control API over all.
	ListenAddress, AdyenAddress, PawaPayAddress, FlutterwaveAddress, ControlAddress string
	Ledger                                                                          string // path
	KeyWindow                                                                       time.Duration
	HangFor                                                                         time.Duration
	CallbackURL                                                                     string
	CallbackSecret                                                                  Secret
}
