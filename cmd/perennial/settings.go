package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/billing/subscription"
)

// choice is one setting of an environment that somebody chose on the command line. What nobody chose has its default in
// a new environment, and stays as it is in one that exists.
type choice struct {
	flag string // without dashes
	set  func(*subscription.Settings)
}

// choices are flags: each appends itself when it is given.
type choices []choice

func (c *choices) declare(f *flag.FlagSet) {
	choosing(f, c, "time-zone", "IANA `zone` of a new environment, in which its periods begin (default: UTC)", text,
		func(s *subscription.Settings, zone string) { s.TimeZone = zone })
	choosing(f, c, "retry-base", "`duration` from a failed payment to its first retry in a new environment (default: 24h)", time.ParseDuration,
		func(s *subscription.Settings, d time.Duration) { s.Retry.Base = d })
	choosing(f, c, "retry-factor", "how many `times` longer each gap to the next retry is than the one before it, in a new environment (default: 2)", whole,
		func(s *subscription.Settings, n int) { s.Retry.Factor = n })
	choosing(f, c, "retry-jitter", "longest random `duration` that spreads the retries of a new environment; 0s: none (default: 1h)", time.ParseDuration,
		func(s *subscription.Settings, d time.Duration) { s.Retry.MaxJitter = d })
	choosing(f, c, "past-due-billing", "whether periods that pass while past due are billed, in a new environment: `skip|accrue` (default: skip)", text,
		func(s *subscription.Settings, way string) { s.PastDueBilling = subscription.PastDueBilling(way) })
	choosing(f, c, "past-due-cancel-after", "`days` in past_due after which a subscription of a new environment is canceled; 0: never (default: 0)", whole,
		func(s *subscription.Settings, days int) { s.PastDueCancelAfterDays = days })
}

func choosing[T any](f *flag.FlagSet, c *choices, name, usage string, parse func(string) (T, error), set func(*subscription.Settings, T)) {
	f.Func(name, usage, func(given string) error {
		value, err := parse(given)
		if err == nil {
			*c = append(*c, choice{name, func(s *subscription.Settings) { set(s, value) }})
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

// on answers settings with what was chosen in them.
func (c choices) on(s subscription.Settings) subscription.Settings {
	for _, one := range c {
		one.set(&s)
	}
	return s
}

// flagOf names the flag that sets what a fault of Settings.Validate names.
var flagOf = map[string]string{
	"timeZone": "time-zone", "base": "retry-base", "factor": "retry-factor", "retries": "retry-base", "maxJitter": "retry-jitter",
	"pastDueBilling": "past-due-billing", "pastDueCancelAfterDays": "past-due-cancel-after",
}

// check refuses choices that no environment can have.
func (c choices) check() error {
	if err := c.on(subscription.DefaultSettings()).Validate(); err != nil {
		f := fault.From(err)
		return usagef("--%s: %s", flagOf[f.Param], f.Detail)
	}
	return nil
}

// against names the flags whose choice an environment has not.
func (c choices) against(s subscription.Settings) (flags []string) {
	for _, one := range c {
		chosen := s
		if one.set(&chosen); chosen != s {
			flags = append(flags, "--"+one.flag)
		}
	}
	return flags
}

// describeSettings says them in a clause.
func describeSettings(s subscription.Settings) string {
	gaps := make([]string, s.Retry.Retries)
	for i := range gaps {
		gaps[i] = short(s.Retry.Gap(i + 1))
	}
	retries := "no retries"
	if len(gaps) > 0 {
		retries = "retries after " + strings.Join(gaps, ", ") + " and at most " + short(s.Retry.MaxJitter) + " of jitter"
	}
	periods := "periods that pass in past_due are not billed"
	if s.PastDueBilling == subscription.AccruePastDue {
		periods = "periods that pass in past_due are billed"
	}
	end := "past_due cancels never"
	if s.PastDueCancelAfterDays > 0 {
		end = fmt.Sprintf("past_due cancels after %d days", s.PastDueCancelAfterDays)
	}
	return strings.Join([]string{"time zone " + s.TimeZone, retries, periods, end}, "; ")
}

// short writes a duration as people type it: 24h, not 24h0m0s.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = strings.TrimSuffix(s, zero[1:])
		}
	}
	return s
}
