package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/internal/cidr"
	"perennial/internal/vault"
)

// setter puts a text into a Config, or returns its fault: a clause that continues "is "x", which".
type setter func(c *Config, text string) (problem string)

func text(field func(*Config) *string) setter {
	return func(c *Config, s string) string {
		*field(c) = s
		return ""
	}
}

// name is a text that Temporal uses as an identifier.
func name(field func(*Config) *string) setter {
	return func(c *Config, s string) string {
		if strings.ContainsAny(s, " \t\n/") {
			return "holds a space or a slash"
		}
		*field(c) = s
		return ""
	}
}

func kek(c *Config, s string) string {
	if _, err := vault.New(s); err != nil {
		return "is unusable: " + fault.From(err).Detail
	}
	c.KEK = NewSecret(s)
	return ""
}

func databaseURL(c *Config, s string) string {
	u, err := url.Parse(s)
	if err != nil { // the error repeats the URL, and with it the password
		return "is not a URL"
	}
	if !slices.Contains([]string{"postgres", "postgresql"}, u.Scheme) {
		return "does not begin with postgres://"
	}
	if u.Host == "" && u.Query().Get("host") == "" {
		return "names no host"
	}
	c.Database.URL = NewSecret(s)
	return ""
}

// number takes whole numbers between low and high.
func number(low, high int, field func(*Config) *int) setter {
	return func(c *Config, s string) string {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return fmt.Sprintf("is not a whole number from %d to %d", low, high)
		}
		*field(c) = n
		return ""
	}
}

// duration takes Go durations ("90s", "20h") between low and high.
func duration(low, high time.Duration, field func(*Config) *time.Duration) setter {
	return func(c *Config, s string) string {
		d, err := time.ParseDuration(s)
		if err != nil || d < low || d > high {
			return fmt.Sprintf("is not a duration from %s to %s", low, high)
		}
		*field(c) = d
		return ""
	}
}

func boolean(field func(*Config) *bool) setter {
	return func(c *Config, s string) string {
		b, err := strconv.ParseBool(s)
		if err != nil {
			return "is neither true nor false"
		}
		*field(c) = b
		return ""
	}
}

// address takes host:port.
func address(field func(*Config) *string) setter {
	return func(c *Config, s string) string {
		_, port, err := net.SplitHostPort(s)
		if err != nil {
			return "is not host:port"
		}
		if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
			return "has no port from 0 to 65535"
		}
		*field(c) = s
		return ""
	}
}

// webURL takes http and https URLs without a trailing slash in the result, so that paths can be appended.
func webURL(field func(*Config) *string) setter {
	return func(c *Config, s string) string {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
			return "is not an http:// or https:// URL"
		}
		*field(c) = strings.TrimRight(s, "/")
		return ""
	}
}

// hosts takes names or addresses, each with a port or without, separated by commas.
func hosts(field func(*Config) *[]string) setter {
	return func(c *Config, s string) string {
		var all []string
		for one := range strings.SplitSeq(s, ",") {
			one = strings.ToLower(strings.TrimSpace(one))
			if u, err := url.Parse("https://" + one); err != nil || one == "" || u.Host != one || u.Hostname() == "" {
				return "holds something else than hosts such as api.example.com"
			}
			all = append(all, one)
		}
		*field(c) = all
		return ""
	}
}

// networks takes prefixes in CIDR notation, separated by commas.
func networks(field func(*Config) *[]netip.Prefix) setter {
	return func(c *Config, s string) string {
		var all []netip.Prefix
		for one := range strings.SplitSeq(s, ",") {
			prefix, err := cidr.Parse(strings.TrimSpace(one))
			if err != nil {
				return "holds something else than networks such as 10.0.0.0/8"
			}
			all = append(all, prefix)
		}
		*field(c) = all
		return ""
	}
}

func oneOf(allowed []string, field func(*Config) *string) setter {
	return func(c *Config, s string) string {
		if !slices.Contains(allowed, s) {
			return "is none of " + strings.Join(allowed, ", ")
		}
		*field(c) = s
		return ""
	}
}

// pauses reads durations, separated by commas.
func pauses(field func(*Config) *[]time.Duration) setter {
	return func(c *Config, s string) string {
		var all []time.Duration
		for part := range strings.SplitSeq(s, ",") {
			d, err := time.ParseDuration(strings.TrimSpace(part))
			if err != nil || d <= 0 || d > 30*24*time.Hour || len(all) == 10 {
				return "is not a list of one to ten durations of at most 720h, such as 1m,10m,2h"
			}
			all = append(all, d)
		}
		*field(c) = all
		return ""
	}
}
