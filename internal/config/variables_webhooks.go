package config

import (
	"net/netip"
	"time"
)

// webhookVariables say how events are delivered.
var webhookVariables = []Variable{
	{
		Name: "WEBHOOK_SLOTS", Default: "256", Example: "256",
		Meaning: "Most webhook endpoints that one worker delivers to at a time; a quarter as many again for those that answer " +
			"slowly, so that they wait for each other only.",
		Fix: "give more only if perennial_webhook_first_attempt_delay grows while connections of DATABASE_POOL_WEBHOOKS " +
			"are free",
		set: number(4, 10000, func(c *Config) *int { return &c.Webhooks.Slots }),
	},
	{
		Name: "WEBHOOK_RETRIES", Default: "1m,10m,2h", Example: "1m,10m,2h",
		Meaning: "Pauses before each retry of a webhook delivery in live environments, give or take WEBHOOK_RETRY_SPREAD.",
		Fix:     "give durations, separated by commas: one retry for each",
		set:     pauses(func(c *Config) *[]time.Duration { return &c.Webhooks.Retries }),
	},
	{
		Name: "WEBHOOK_RETRIES_TEST", Default: "5s,20s,1m", Example: "5s,20s,1m",
		Meaning: "The same for test environments, also on a test clock: deliveries happen in real time.",
		Fix:     "give durations, separated by commas: one retry for each",
		set:     pauses(func(c *Config) *[]time.Duration { return &c.Webhooks.TestRetries }),
	},
	{
		Name: "WEBHOOK_RETRY_SPREAD", Default: "20", Example: "20",
		Meaning: "Percent of such a pause by which chance makes it shorter or longer, so that what failed together does not " +
			"return together.",
		Fix: "give 0 only if receivers must be called at exact times",
		set: number(0, 50, func(c *Config) *int { return &c.Webhooks.RetrySpread }),
	},
	{
		Name: "WEBHOOK_LOCAL_RECEIVERS", Example: "127.0.0.0/8,::1/128",
		Meaning: "Networks, separated by commas, in which endpoints of test environments may be although they are not on the " +
			"internet, also without TLS. Live endpoints never may.",
		Fix: "give networks in CIDR notation, and none in production",
		set: networks(func(c *Config) *[]netip.Prefix { return &c.Webhooks.LocalReceivers }),
	},
}
