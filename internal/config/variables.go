package config

import (
	"net/netip"
	"slices"
	"time"
)

// Variable is one environment variable: everything that is known about it, once. Reading, messages and
// docs/configuration.md all come from here.
type Variable struct {
	Name       string
	Default    string
	RequiredBy []Command // who cannot run without it; only where there is no default
	Example    string
	Meaning    string // a sentence
	Fix        string // what to do about a wrong one, without a full stop
	Secret     bool

	set setter
}

// Variables lists every variable in the order of the documentation.
func Variables() []Variable { return append([]Variable(nil), variables...) }

var variables = slices.Concat(ownVariables, documentVariables, webhookVariables, mailVariables, simulatorVariables)

var ownVariables = []Variable{
	{
		Name: "DATABASE_URL", Secret: true, set: databaseURL,
		RequiredBy: []Command{API, Worker, Serve, Migrate, Key, Doctor, Payment},
		Example:    "postgres://perennial:secret@db.example.com:5432/perennial?sslmode=verify-full",
		Meaning: "PostgreSQL, version 15 or newer: the truth about every subscription and payment. `dev` starts " +
			"one where it is absent.",
		Fix: "give the URL of a PostgreSQL database",
	},
	{
		Name: "DATABASE_POOL_API", Default: "20", Example: "20",
		Meaning: "Most connections the API of one process opens.",
		Fix:     "keep the sum over all processes below the server's max_connections",
		set:     number(1, 1000, func(c *Config) *int { return &c.Database.PoolAPI }),
	},
	{
		Name: "DATABASE_POOL_ACTIVITIES", Default: "20", Example: "20",
		Meaning: "Most connections the activities of one worker open.",
		Fix:     "keep the sum over all processes below the server's max_connections",
		set:     number(1, 1000, func(c *Config) *int { return &c.Database.PoolActivities }),
	},
	{
		Name: "DATABASE_POOL_WEBHOOKS", Default: "8", Example: "8",
		Meaning: "Most connections the webhook deliveries of one worker open.",
		Fix:     "keep the sum over all processes below the server's max_connections",
		set:     number(1, 1000, func(c *Config) *int { return &c.Database.PoolWebhooks }),
	},
	{
		Name: "TEMPORAL_ADDRESS", RequiredBy: []Command{API, Worker, Serve, Doctor, Build, Payment},
		Example: "127.0.0.1:7233",
		Meaning: "Frontend of the Temporal cluster, or of Temporal Cloud. `dev` starts a server where it is absent.",
		Fix:     "give host:port of a Temporal frontend",
		set:     address(func(c *Config) *string { return &c.Temporal.Address }),
	},
	{
		Name: "TEMPORAL_NAMESPACE", Default: "perennial", Example: "perennial",
		Meaning: "Temporal namespace; workers create it where absent and permitted.",
		Fix:     "give the namespace's name",
		set:     name(func(c *Config) *string { return &c.Temporal.Namespace }),
	},
	{
		Name: "TEMPORAL_API_KEY", Secret: true, Example: "eyJhbGciOi…",
		Meaning: "API key of Temporal Cloud; switches TLS on.",
		Fix:     "give the key as Temporal Cloud shows it",
		set: func(c *Config, s string) string {
			c.Temporal.APIKey, c.Temporal.TLS = NewSecret(s), true
			return ""
		},
	},
	{
		Name: "TEMPORAL_TLS", Example: "true",
		Meaning: "Whether to speak TLS to Temporal. Absent: only if an API key or a certificate is set.",
		Fix:     "give true or false",
		set:     boolean(func(c *Config) *bool { return &c.Temporal.TLS }),
	},
	{
		Name: "TEMPORAL_TLS_CERT", Example: "/etc/perennial/temporal.pem",
		Meaning: "Client certificate (PEM) for mutual TLS with Temporal; switches TLS on.",
		Fix:     "give the path of a PEM file",
		set: func(c *Config, s string) string {
			c.Temporal.TLSCert, c.Temporal.TLS = s, true
			return ""
		},
	},
	{
		Name: "TEMPORAL_TLS_KEY", Example: "/etc/perennial/temporal.key",
		Meaning: "Private key (PEM) of that certificate.",
		Fix:     "give the path of a PEM file",
		set:     text(func(c *Config) *string { return &c.Temporal.TLSKey }),
	},
	{
		Name: "TEMPORAL_TLS_CA", Example: "/etc/perennial/temporal-ca.pem",
		Meaning: "Certificate authorities (PEM) that may sign Temporal's certificate. Absent: the system's.",
		Fix:     "give the path of a PEM file",
		set:     text(func(c *Config) *string { return &c.Temporal.TLSCA }),
	},
	{
		Name: "TEMPORAL_UI_URL", Example: "http://127.0.0.1:8233",
		Meaning: "Where people open Temporal's web UI; only printed and linked.",
		Fix:     "give a URL",
		set:     webURL(func(c *Config) *string { return &c.Temporal.UIURL }),
	},
	{
		Name: "LISTEN_ADDRESS", Default: "127.0.0.1:8080", Example: "0.0.0.0:8080",
		Meaning: "Where the API listens.",
		Fix:     "give host:port, and a host of 0.0.0.0 only with API_TLS_CERT or behind a proxy that speaks TLS",
		set:     address(func(c *Config) *string { return &c.HTTP.ListenAddress }),
	},
	{
		Name: "METRICS_ADDRESS", Default: "127.0.0.1:9090", Example: "0.0.0.0:9090",
		Meaning: "Where `/metrics` for Prometheus, `/healthz` and `/readyz` are served, apart from the API.",
		Fix:     "give host:port",
		set:     address(func(c *Config) *string { return &c.HTTP.MetricsAddress }),
	},
	{
		Name: "PUBLIC_URL", Example: "https://billing.example.com",
		Meaning: "How the outside reaches the API: the server in its OpenAPI document, the callback address that `key create` and " +
			"`doctor` show, which you give to the provider, and the links by which payers confirm payments. Where a worker does not " +
			"have it, no payer is asked: a card that needs its owner is declined.",
		Fix: "give a URL",
		set: webURL(func(c *Config) *string { return &c.HTTP.PublicURL }),
	},
	{
		Name: "TRUSTED_PROXIES", Example: "10.0.0.0/8,192.168.1.7/32",
		Meaning: "Networks of the proxies whose X-Forwarded-For is believed when a key's IP allow-list is checked, " +
			"separated by commas. If one of them sends something else than addresses, the client's address counts as unknown, " +
			"and keys with an allow-list are refused.",
		Fix: "give networks in CIDR notation",
		set: networks(func(c *Config) *[]netip.Prefix { return &c.HTTP.TrustedProxies }),
	},
	{
		Name: "API_TLS_CERT", Example: "/etc/perennial/api.pem",
		Meaning: "Path of the API's certificate with its chain, PEM: the API then speaks TLS 1.2 and newer, and HTTP/2. Files " +
			"that change are read again within seconds. Absent: no TLS.",
		Fix: "give a path, and API_TLS_KEY",
		set: text(func(c *Config) *string { return &c.HTTP.TLSCert }),
	},
	{
		Name: "API_TLS_KEY", Example: "/etc/perennial/api.key",
		Meaning: "Path of the certificate's key, PEM.",
		Fix:     "give a path, and API_TLS_CERT",
		set:     text(func(c *Config) *string { return &c.HTTP.TLSKey }),
	},
	{
		Name: "API_KEY_RATE", Default: "100", Example: "100",
		Meaning: "Most requests that one API key may make in a second, in the long run, all processes together. Beyond it requests " +
			"are refused with 429.",
		Fix: "give what a caller needs and the installation can serve",
		set: number(1, 1_000_000, func(c *Config) *int { return &c.HTTP.KeyRate }),
	},
	{
		Name: "API_KEY_BURST", Default: "200", Example: "200",
		Meaning: "Most requests that one API key may make at once after a pause; each process may grant as many in the same fifth of a " +
			"second, which is paid back after it, by ten processes at most. A publishable key has as many for each address and process.",
		Fix: "give at least API_KEY_RATE",
		set: number(1, 1_000_000, func(c *Config) *int { return &c.HTTP.KeyBurst }),
	},
	{
		Name: "API_REQUESTS_AT_ONCE", Default: "16", Example: "16",
		Meaning: "Most requests that one process works on at one time. Others wait a moment, and are then refused with 503, so that " +
			"those that are let in are answered soon. Callbacks of providers and requests that wait as `Prefer` asks are not counted.",
		Fix: "give less than DATABASE_POOL_API: the rest is for callbacks, health and reports",
		set: number(1, 100_000, func(c *Config) *int { return &c.HTTP.RequestsAtOnce }),
	},
	{
		Name: "API_DRAIN_DELAY", Default: "0s", Example: "5s",
		Meaning: "How long `/readyz` says no before the API stops listening, so that load balancers stop sending first.",
		Fix:     "give what your load balancer needs to notice",
		set:     duration(0, 10*time.Minute, func(c *Config) *time.Duration { return &c.HTTP.DrainDelay }),
	},
	{
		Name: "API_DRAIN_TIMEOUT", Default: "20s", Example: "20s",
		Meaning: "How long the API finishes open requests after it was told to stop. Those that wait for a payment " +
			"or a clock (`Prefer: wait`) are answered at once.",
		Fix: "stay below what your platform waits before it kills",
		set: duration(0, 10*time.Minute, func(c *Config) *time.Duration { return &c.HTTP.DrainTimeout }),
	},
	{
		Name: "LOG_LEVEL", Default: "info", Example: "debug",
		Meaning: "Least level of the JSON log lines.",
		Fix:     "choose one of debug, info, warn, error",
		set:     oneOf([]string{"debug", "info", "warn", "error"}, func(c *Config) *string { return &c.Telemetry.LogLevel }),
	},
	{
		Name: "OTEL_EXPORTER_OTLP_ENDPOINT", Example: "http://127.0.0.1:4318",
		Meaning: "Collector that receives traces by OTLP over HTTP. Absent: traces are not exported.",
		Fix:     "give the collector's base URL",
		set:     webURL(func(c *Config) *string { return &c.Telemetry.OTLPEndpoint }),
	},
	{
		Name: "PERENNIAL_KEK", Secret: true, RequiredBy: []Command{API, Worker, Serve, Doctor}, set: kek,
		Example: "kek_kD0vJ3…",
		Meaning: "Key-encryption key of the provider credentials: `kek_` and 32 random bytes in base 64. Several, separated " +
			"by commas, while one is replaced: the first encrypts, all decrypt. Losing it loses the credentials. `key create` needs " +
			"it too, where it makes an app or stores credentials.",
		Fix: "restore the key of this installation from your secret store; only a new installation makes one, with " +
			"`perennial key kek`: stored credentials cannot be read with another one",
	},
	{
		Name: "PERENNIAL_BUILD_ID", Example: "3f2a91c",
		Meaning: "Names this build for Temporal's worker versioning. Absent: the commit the binary was built from, or where there " +
			"is none, as in an image, a hash of the binary; `perennial doctor` shows it. Two builds must never share a name: the " +
			"second would get the workflows of the first.",
		Fix: "leave it unset, or give the commit, without spaces",
		set: name(func(c *Config) *string { return &c.BuildID }),
	},
	{
		Name: "PERENNIAL_DEPLOYMENT", Default: "perennial", Example: "perennial",
		Meaning: "Name of the worker deployment whose versions these builds are.",
		Fix:     "give a name without spaces",
		set:     name(func(c *Config) *string { return &c.Deployment }),
	},
	{
		Name: "WORKER_DRAIN_TIMEOUT", Default: "25s", Example: "25s",
		Meaning: "How long a worker finishes running activities after it was told to stop. What is unfinished then " +
			"is repeated elsewhere.",
		Fix: "stay below what your platform waits before it kills",
		set: duration(0, 10*time.Minute, func(c *Config) *time.Duration { return &c.Worker.DrainTimeout }),
	},
	{
		Name: "WORKER_ACTIVITY_SLOTS", Default: "32", Example: "32",
		Meaning: "Most activities at one time on each task queue of one worker.",
		Fix:     "give more only with more connections in DATABASE_POOL_ACTIVITIES",
		set:     number(1, 10000, func(c *Config) *int { return &c.Worker.ActivitySlots }),
	},
	{
		Name: "WORKER_ACCOUNT_SLOTS", Default: "16", Example: "16",
		Meaning: "Most requests at one time to one provider account by one worker: an account whose provider does not answer leaves " +
			"the rest of WORKER_ACTIVITY_SLOTS to the others. All accounts at one provider together have three quarters of those.",
		Fix: "stay below WORKER_ACTIVITY_SLOTS",
		set: number(1, 10000, func(c *Config) *int { return &c.Worker.AccountSlots }),
	},
	{
		Name: "WORKER_LOCAL_ACTIVITY_SLOTS", Default: "32", Example: "32",
		Meaning: "Most local activities (transactions of renewals) at one time in one worker.",
		Fix:     "give more only with more connections in DATABASE_POOL_ACTIVITIES",
		set:     number(1, 10000, func(c *Config) *int { return &c.Worker.LocalActivitySlots }),
	},
	{
		Name: "WORKER_WORKFLOW_SLOTS", Default: "64", Example: "64",
		Meaning: "Most workflow tasks at one time in one worker.",
		Fix:     "give a number the processors can serve",
		set:     number(2, 10000, func(c *Config) *int { return &c.Worker.WorkflowSlots }),
	},
	{
		Name: "WORKER_CACHED_WORKFLOWS", Default: "1000", Example: "1000",
		Meaning: "Most workflows one worker keeps in memory; others are replayed from history when they wake.",
		Fix:     "count about 10 KB of memory for each",
		set:     number(0, 1000000, func(c *Config) *int { return &c.Worker.CachedWorkflows }),
	},
	{
		Name: "WORKER_POLLERS", Default: "4", Example: "4",
		Meaning: "Pollers of each task queue; few serve a small machine better than many.",
		Fix:     "start with 4 to 16",
		set:     number(2, 1000, func(c *Config) *int { return &c.Worker.Pollers }),
	},
	{
		Name: "WORKER_MAKE_CURRENT", Default: "false", Example: "true",
		Meaning: "Whether a worker makes its build the deployment's current version, in place of another, once its pollers appear. A " +
			"deployment with a rollout of its own leaves it off; the first build makes itself current in any case.",
		Fix: "give true or false",
		set: boolean(func(c *Config) *bool { return &c.Worker.MakeCurrent }),
	},
	{
		Name: "RECONCILE_EVERY", Default: "30s", Example: "30s",
		Meaning: "How often the reconciler looks for what was left undone.",
		Fix:     "stay near the default; it is the safety net under every best-effort step",
		set: duration(100*time.Millisecond, time.Hour, func(c *Config) *time.Duration {
			return &c.Worker.ReconcileEvery
		}),
	},
	{
		Name: "RECONCILE_RATE", Default: "50", Example: "50",
		Meaning: "Most workflows that the reconciler starts or wakes in a second, so that commands and renewals keep their share of " +
			"Temporal and of the workers. It matters after a loss of Temporal's database: 50 restart 180,000 subscriptions in an hour, " +
			"overdue ones first.",
		Fix: "stay at the default on two processors; give more to a larger cluster with many subscriptions",
		set: number(1, 10000, func(c *Config) *int { return &c.Worker.ReconcileRate }),
	},
	{
		Name: "BOOTSTRAP_EVERY", Default: "15s", Example: "15s",
		Meaning: "How often a worker makes sure that namespace, search attributes and the reconciler's Schedule exist.",
		Fix:     "stay near the default; a lost Temporal database is noticed after this time",
		set: duration(100*time.Millisecond, time.Hour, func(c *Config) *time.Duration {
			return &c.Worker.BootstrapEvery
		}),
	},
	{
		Name: "PAYMENT_ABSENCE_GAP", Default: "0s", Example: "1h",
		Meaning: "How far apart a provider must answer twice that it never heard of a payment until the payment counts as " +
			"failed, where it must do so twice; 0s: as its adapter says (Stripe: 1h).",
		Fix: "stay at the default: it outlasts the lag of a provider's search; only tests against the simulator need less",
		set: duration(0, 7*24*time.Hour, func(c *Config) *time.Duration { return &c.Worker.AbsenceGap }),
	},
	{
		Name: "PAYMENT_CONFIRM_WITHIN", Default: "24h", Example: "24h",
		Meaning: "How long a payer has to confirm a charge where the provider asks for it (3-D Secure). Then the charge is canceled " +
			"and counts as failed.",
		Fix: "stay below the gap before the first retry, or retries come later than your dunning policy says",
		set: duration(time.Second, 7*24*time.Hour, func(c *Config) *time.Duration { return &c.Worker.ConfirmWithin }),
	},
	{
		Name: "STRIPE_API_URL", Default: "https://api.stripe.com", Example: "http://127.0.0.1:8090",
		Meaning: "Where Stripe's API is. Only the simulator and tests need another.",
		Fix:     "leave it unset, or give a URL",
		set:     webURL(func(c *Config) *string { return &c.Stripe.APIURL }),
	},
	{
		Name: "STRIPE_TIMEOUT", Default: "30s", Example: "30s",
		Meaning: "How long one request to Stripe may take until its outcome counts as unknown. At most 40 s: a worker has a minute " +
			"for asking and recording, and stops asking after 45 s, also where it takes several requests.",
		Fix: "give at least what Stripe itself may take, and leave a worker the time to record it",
		set: duration(time.Millisecond, 40*time.Second, func(c *Config) *time.Duration { return &c.Stripe.Timeout }),
	},
	{
		Name: "STRIPE_REPLAY_WINDOW", Default: "20h", Example: "20h",
		Meaning: "How long after its first send a charge may be sent again with the same key. Stripe keeps keys for at least 24 h; " +
			"a send after that would charge twice.",
		Fix: "stay below the 24 h after which Stripe may forget a key",
		set: duration(time.Millisecond, 23*time.Hour, func(c *Config) *time.Duration { return &c.Stripe.ReplayWindow }),
	},
	{
		Name: "ADYEN_API_URL", Example: "http://127.0.0.1:8091",
		Meaning: "Where Adyen's API is. Absent: at Adyen. Only the simulator and tests need another.",
		Fix:     "leave it unset, or give a URL",
		set:     webURL(func(c *Config) *string { return &c.Providers.AdyenURL }),
	},
	{
		Name: "PAWAPAY_API_URL", Example: "http://127.0.0.1:8092",
		Meaning: "Where pawaPay's API is, whatever `apiUrl` an account names. Absent: at the account's `apiUrl`. Only the simulator and " +
			"tests need another.",
		Fix: "leave it unset, or give a URL",
		set: webURL(func(c *Config) *string { return &c.Providers.PawaPayURL }),
	},
	{
		Name: "FLUTTERWAVE_API_URL", Example: "http://127.0.0.1:8093",
		Meaning: "Where Flutterwave's API is. Absent: at Flutterwave. Only the simulator and tests need another.",
		Fix:     "leave it unset, or give a URL",
		set:     webURL(func(c *Config) *string { return &c.Providers.FlutterwaveURL }),
	},
	{
		Name: "PROVIDER_API_HOSTS", Example: "payments.example.com,10.0.0.7:8443",
		Meaning: "Hosts, separated by commas, that an account's `apiUrl` may name beside the provider's own. The service sends " +
			"requests there with the account's credentials.",
		Fix: "leave it unset, or give hosts that you trust",
		set: hosts(func(c *Config) *[]string { return &c.Providers.APIHosts }),
	},
	{
		Name: "PERENNIAL_API_URL", Default: "http://127.0.0.1:8080", Example: "https://billing.example.com",
		Meaning: "The API that `listen` follows.",
		Fix:     "give the API's URL, without a path",
		set:     webURL(func(c *Config) *string { return &c.Client.APIURL }),
	},
	{
		Name: "PERENNIAL_API_KEY", Secret: true, RequiredBy: []Command{Listen}, Example: "sk_test_…",
		Meaning: "The API key with which `listen` reads events. Scope `read` is enough.",
		Fix:     "give a secret key of the environment, as `perennial key create` shows it",
		set: func(c *Config, s string) string {
			c.Client.APIKey = NewSecret(s)
			return ""
		},
	},
}
