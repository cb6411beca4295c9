// Package routing decides which provider account takes a payment: rules first, then the primary, then the backups by
// priority; and when a failing account rests (Breaker). It does not own what may be sent again (payment) nor what an
// account can do (providers).
package routing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"perennial/billing/money"
)

// Rule sends the payments that it matches to an account. Empty and zero fields match everything. Amounts are in minor
// units and need a Currency.
type Rule struct {
	Position  int    // the lowest that matches goes first
	Country   string // ISO 3166-1 alpha-2, of the customer
	Currency  money.Currency
	Method    string // of payment: "card", or mobile_money_<operator>; a trailing * matches any ending
	MinAmount money.Minor
	MaxAmount money.Minor
	AccountID string
}

// Payment is a payment to be sent.
type Payment struct {
	Country  string // empty: not known, so that no rule with a country matches
	Currency money.Currency
	Method   string
	Amount   money.Minor
	Provider string // that the payment method names: its accounts go first; empty: none
}

// Account is a provider configuration, as far as it matters here.
type Account struct {
	ID       string
	Provider string
	Primary  bool
	Priority int // of backups, the lowest first
	Disabled bool
	Stopped  bool         // by a charging stop, of the account or of the environment
	Limits   money.Limits // of charges in the payment's currency
	Refuses  string       // why it does not accept the payment method; empty: it does, or that is not known
	Breaker  Breaker
}

// Choice is an account that can take the payment, and why it is in this place.
type Choice struct {
	AccountID string
	Reason    string // a code: "rule 3", "primary", "backup"
	Probe     bool   // its breaker lets one payment through, to see whether it answers again
}

// Exclusion is an account that cannot take the payment.
type Exclusion struct {
	AccountID string
	Provider  string
	Reason    string // as in a Choice: why it would be in this place
	Why       string // for people
	Cause     Cause
}

// Cause is the kind of an obstacle.
type Cause int

// The causes.
const (
	OutOfUse Cause = iota // disabled; or stopped, and it never takes such a payment
	Stopped               // by a charging stop
	Resting               // its breaker is open
	Never                 // it never takes such a payment
)

// Route returns the accounts that can take a payment, the best first, and why each of the others cannot. now is real
// time.
func Route(p Payment, rules []Rule, accounts []Account, now time.Time) (choices []Choice, excluded []Exclusion) {
	for _, c := range order(p, rules, accounts) {
		i := slices.IndexFunc(accounts, func(a Account) bool { return a.ID == c.AccountID })
		if why, cause := accounts[i].excludes(p, now); why != "" {
			excluded = append(excluded, Exclusion{c.AccountID, accounts[i].Provider, c.Reason, why, cause})
			continue
		}
		c.Probe = accounts[i].Breaker.Opened()
		choices = append(choices, c)
	}
	return choices, excluded
}

// order lists all accounts, each once.
func order(p Payment, rules []Rule, accounts []Account) (out []Choice) {
	add := func(id, reason string) {
		known := slices.ContainsFunc(accounts, func(a Account) bool { return a.ID == id })
		if known && !slices.ContainsFunc(out, func(c Choice) bool { return c.AccountID == id }) {
			out = append(out, Choice{AccountID: id, Reason: reason})
		}
	}
	sorted := slices.Clone(rules)
	slices.SortStableFunc(sorted, func(a, b Rule) int { return cmp.Compare(a.Position, b.Position) })
	for _, r := range sorted {
		if r.matches(p) {
			add(r.AccountID, "rule "+strconv.Itoa(r.Position))
		}
	}
	backups := slices.Clone(accounts)
	slices.SortStableFunc(backups, func(a, b Account) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
	})
	for _, a := range backups {
		if a.Primary {
			add(a.ID, "primary")
		}
	}
	for _, a := range backups {
		add(a.ID, "backup")
	}
	return named(p.Provider, out, accounts)
}

// named puts the accounts at the provider first that the payment method names.
func named(provider string, in []Choice, accounts []Account) []Choice {
	if provider == "" {
		return in
	}
	var first, rest []Choice
	for _, c := range in {
		i := slices.IndexFunc(accounts, func(a Account) bool { return a.ID == c.AccountID })
		if accounts[i].Provider != provider {
			rest = append(rest, c)
			continue
		}
		if c.Reason == "backup" {
			c.Reason = "named by the payment method"
		}
		first = append(first, c)
	}
	return append(first, rest...)
}

func (r Rule) matches(p Payment) bool {
	prefix, open := strings.CutSuffix(r.Method, "*")
	method := r.Method == "" || r.Method == p.Method || open && strings.HasPrefix(p.Method, prefix)
	return method && (r.Country == "" || r.Country == p.Country) && (r.Currency == "" || r.Currency == p.Currency) &&
		p.Amount >= r.MinAmount && (r.MaxAmount == 0 || p.Amount <= r.MaxAmount)
}

// excludes returns why the account cannot take a payment; empty: it can.
func (a Account) excludes(p Payment, now time.Time) (why string, cause Cause) {
	never := a.never(p)
	switch {
	case a.Disabled:
		return "it is disabled", OutOfUse
	case never != "" && a.Stopped:
		return never + ", and charging is paused", OutOfUse
	case never != "":
		return never, Never
	case a.Stopped:
		return "charging is paused", Stopped
	case !a.Breaker.Takes(now):
		return "it has not answered as it should since " + a.Breaker.OpenedAt.UTC().Format(time.RFC3339), Resting
	}
	return "", 0
}

// Takes reports whether the account may take such a payment at any time, as far as is known without asking.
func (a Account) Takes(p Payment) bool { return a.never(p) == "" }

// never returns why the account takes no such payment at any time; empty: it may.
func (a Account) never(p Payment) string {
	switch {
	case a.Limits.Unchargeable:
		return "it does not take " + string(p.Currency)
	case a.Limits.Collectable(p.Amount) != p.Amount:
		return "it does not take this amount"
	case a.Refuses != "":
		return "it does not accept the payment method"
	}
	return ""
}

// Forced returns the account for a payment that no account in use ever takes: waiting would not help, and the
// provider's refusal shows the customer what is wrong. It returns false where waiting may help.
func Forced(excluded []Exclusion) (Choice, bool) {
	first := -1
	for i, e := range excluded {
		switch {
		case e.Cause == Stopped || e.Cause == Resting:
			return Choice{}, false
		case e.Cause == Never && first < 0:
			first = i
		}
	}
	if first < 0 {
		return Choice{}, false
	}
	return Choice{AccountID: excluded[first].AccountID, Reason: excluded[first].Reason}, true
}

// Wait returns how long a payment waits that no account can take: until the next probe where one rests. Zero: as long
// as for any change by a person.
func Wait(excluded []Exclusion) time.Duration {
	if slices.ContainsFunc(excluded, func(e Exclusion) bool { return e.Cause == Resting }) {
		return Cooldown
	}
	return 0
}

// Name returns the name of an account for people.
func Name(provider, accountID string) string { return provider + " (" + accountID + ")" }

// Stops names the accounts that would take a payment if charging was not paused; false: none would.
func Stops(excluded []Exclusion) (accounts string, ok bool) {
	var names []string
	for _, e := range excluded {
		if e.Cause == Stopped {
			names = append(names, Name(e.Provider, e.AccountID))
		}
	}
	return strings.Join(names, ", "), len(names) > 0
}

// Explain returns, for people, why no account can take a payment.
func Explain(excluded []Exclusion) string {
	if len(excluded) == 0 {
		return "This environment has no payment provider. The payment is sent when it has one."
	}
	parts := make([]string, len(excluded))
	for i, e := range excluded {
		parts[i] = Name(e.Provider, e.AccountID) + ": " + e.Why
	}
	return "No payment provider can take this payment now. It is tried again later. " + strings.Join(parts, "; ") + "."
}
