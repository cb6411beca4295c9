package tenancy

import (
	"errors"
	"flag"
	"strconv"
	"time"

	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/cmd/perennial/cli"
	"perennial/service/tenancy"
)

// choices are flags for the settings of an environment: each appends itself when it is given. A flag that is not given
// must not count as a choice: with an environment that exists already, the default would contradict its settings.
type choices tenancy.Choices

func (c *choices) declare(f *flag.FlagSet) {
	choosing(f, c, "time-zone", "IANA `zone` of a new environment, in which its periods begin (default: UTC)", text,
		func(s *subscription.Settings, zone string) { s.TimeZone = zone })
	choosing(f, c, "retry-base",
		"`duration` from a failed payment to its first retry in a new environment (default: 24h)", time.ParseDuration,
		func(s *subscription.Settings, d time.Duration) { s.Dunning.Retry.Base = d })
	choosing(f, c, "retry-factor",
		"how many `times` longer each gap to the next retry is than the one before it, in a new environment (default: 2)",
		whole,
		func(s *subscription.Settings, n int) { s.Dunning.Retry.Factor = n })
	choosing(f, c, "retry-jitter",
		"longest random `duration` that spreads the retries of a new environment; 0s: none (default: 1h)", time.ParseDuration,
		func(s *subscription.Settings, d time.Duration) { s.Dunning.Retry.MaxJitter = d })
	choosing(f, c, "past-due-billing",
		"whether periods that pass while past due are billed, in a new environment: `skip|accrue` (default: skip)", text,
		func(s *subscription.Settings, way string) { s.PastDueBilling = subscription.PastDueBilling(way) })
	choosing(f, c, "past-due-cancel-after",
		"`days` in past_due after which a subscription of a new environment is canceled; 0: never (default: 0)", whole,
		func(s *subscription.Settings, days int) { s.Dunning.CancelAfter(days) })
	choosing(f, c, "renewal-reminder",
		"`days` before a renewal that asks the payer at which a new environment announces it; 0: never (default: 1)", whole,
		func(s *subscription.Settings, days int) { s.RenewalReminderDays = days })
}

// choosing declares a flag whose value is a choice. Its name goes along, so that a refusal names the flags to omit.
func choosing[T any](
	f *flag.FlagSet, c *choices, name, usage string, parse func(string) (T, error), set func(*subscription.Settings, T),
) {
	f.Func(name, usage, func(given string) error {
		value, err := parse(given)
		if err == nil {
			*c = append(*c, tenancy.Choice{Name: "--" + name, Set: func(s *subscription.Settings) { set(s, value) }})
		}
		return err
	})
}

func text(s string) (string, error) { return s, nil }

func whole(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, errors.New("it is not a whole number")
	}
	return n, nil
}

// flagOf maps the fields that a fault of Settings.Validate names to their flags.
var flagOf = map[string]string{
	"timeZone": "time-zone",
	"base":     "retry-base", "factor": "retry-factor", "retries": "retry-base", "maxJitter": "retry-jitter",
	"pastDueBilling": "past-due-billing", "cancelAfterDays": "past-due-cancel-after",
	"renewalReminderDays": "renewal-reminder",
}

// check refuses choices that no environment can have.
func (c choices) check() error {
	if err := tenancy.Choices(c).On(subscription.DefaultSettings()).Validate(); err != nil {
		f := fault.From(err)
		return cli.Usagef("--%s: %s", flagOf[f.Param], f.Detail)
	}
	return nil
}
