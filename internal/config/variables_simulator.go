package config

import "time"

// simulatorVariables place the provider simulator.
var simulatorVariables = []Variable{
	{
		Name: "SIMULATOR_ADDRESS", Default: "127.0.0.1:8090", Example: "127.0.0.1:8090",
		Meaning: "Where the simulated Stripe listens.",
		Fix:     "give host:port",
		set:     address(func(c *Config) *string { return &c.Simulator.ListenAddress }),
	},
	{
		Name: "SIMULATOR_ADYEN_ADDRESS", Default: "127.0.0.1:8091", Example: "127.0.0.1:8091",
		Meaning: "Where the simulated Adyen listens.",
		Fix:     "give host:port",
		set:     address(func(c *Config) *string { return &c.Simulator.AdyenAddress }),
	},
	{
		Name: "SIMULATOR_PAWAPAY_ADDRESS", Default: "127.0.0.1:8092", Example: "127.0.0.1:8092",
		Meaning: "Where the simulated pawaPay listens.",
		Fix:     "give host:port",
		set:     address(func(c *Config) *string { return &c.Simulator.PawaPayAddress }),
	},
	{
		Name: "SIMULATOR_FLUTTERWAVE_ADDRESS", Default: "127.0.0.1:8093", Example: "127.0.0.1:8093",
		Meaning: "Where the simulated Flutterwave listens.",
		Fix:     "give host:port",
		set:     address(func(c *Config) *string { return &c.Simulator.FlutterwaveAddress }),
	},
	{
		Name: "SIMULATOR_CONTROL_ADDRESS", Default: "127.0.0.1:8094", Example: "127.0.0.1:8094",
		Meaning: "Where the control API of all simulated providers listens. Each provider's own port has its own control API, too.",
		Fix:     "give host:port",
		set:     address(func(c *Config) *string { return &c.Simulator.ControlAddress }),
	},
	{
		Name: "SIMULATOR_LEDGER", Default: ".perennial/simulator/ledger.jsonl",
		Example: "/var/lib/simulator/ledger.jsonl",
		Meaning: "File to which the simulated Stripe syncs every movement of money; those of the other providers lie beside it.",
		Fix:     "give a path that can be written",
		set:     text(func(c *Config) *string { return &c.Simulator.Ledger }),
	},
	{
		Name: "SIMULATOR_KEY_WINDOW", Default: "24h", Example: "2s",
		Meaning: "How long the simulator remembers an idempotency key; after that the same key charges again, as at the " +
			"provider.",
		Fix: "give a duration; tests give seconds",
		set: duration(time.Millisecond, 30*24*time.Hour, func(c *Config) *time.Duration { return &c.Simulator.KeyWindow }),
	},
	{
		Name: "SIMULATOR_HANG", Default: "60s", Example: "2s",
		Meaning: "How long an answer that is told to hang hangs.",
		Fix:     "give a duration",
		set:     duration(time.Millisecond, time.Hour, func(c *Config) *time.Duration { return &c.Simulator.HangFor }),
	},
	{
		Name: "SIMULATOR_CALLBACK_URL", Example: "http://127.0.0.1:8080/callbacks/pp_01h",
		Meaning: "Where the simulator sends its callbacks. Absent: nowhere, until it is told over HTTP. `dev` sends " +
			"them to its own API.",
		Fix: "give the API's callback URL of a provider configuration",
		set: webURL(func(c *Config) *string { return &c.Simulator.CallbackURL }),
	},
	{
		Name: "SIMULATOR_CALLBACK_SECRET", Secret: true, Example: "whsec_…",
		Meaning: "Secret with which the simulator signs its callbacks.",
		Fix:     "give the webhook secret of that provider configuration",
		set: func(c *Config, s string) string {
			c.Simulator.CallbackSecret = NewSecret(s)
			return ""
		},
	},
}
