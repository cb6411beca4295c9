package core

import (
	"encoding/json"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/money"
	"perennial/billing/retry"
)

// storedDunning is a dunning policy as its column holds it. Fields are added, never renamed.
type storedDunning struct {
	BaseSeconds     int64          `json:"baseSeconds"`
	Factor          int            `json:"factor"`
	Retries         int            `json:"retries"`
	GapSeconds      []int64        `json:"gapSeconds,omitempty"`
	JitterSeconds   int64          `json:"jitterSeconds"`
	Rules           []storedRule   `json:"rules,omitempty"`
	Final           dunning.Action `json:"final"`
	CancelAfterDays int            `json:"cancelAfterDays,omitempty"`
	Minimums        []storedLeast  `json:"minimums,omitempty"`
	TryOtherMethods bool           `json:"tryOtherMethods,omitempty"`
	NoReminders     bool           `json:"noReminders,omitempty"`
	Reminders       []int          `json:"reminders,omitempty"`
}

type storedLeast struct {
	Currency money.Currency `json:"currency"`
	Amount   money.Minor    `json:"amount"`
}

type storedRule struct {
	Code       string `json:"code"`
	Never      bool   `json:"never,omitempty"`
	DayOfMonth int    `json:"dayOfMonth,omitempty"`
}

// DunningToDB writes a policy; nil is null.
func DunningToDB(p *dunning.Policy) []byte {
	if p == nil {
		return nil
	}
	stored := storedDunning{
		BaseSeconds: WholeSeconds(p.Retry.Base), Factor: p.Retry.Factor, Retries: p.Retry.Retries,
		JitterSeconds: WholeSeconds(p.Retry.MaxJitter), Final: p.Final, CancelAfterDays: p.CancelAfterDays,
		TryOtherMethods: p.TryOtherMethods, NoReminders: p.Reminders.None, Reminders: p.Reminders.Attempts,
	}
	for _, gap := range p.Retry.Gaps {
		stored.GapSeconds = append(stored.GapSeconds, WholeSeconds(gap))
	}
	for _, r := range p.Retry.Rules {
		stored.Rules = append(stored.Rules, storedRule(r))
	}
	for _, m := range p.Minimums {
		stored.Minimums = append(stored.Minimums, storedLeast(m))
	}
	return marshaled("a dunning policy", stored)
}

// DunningFromDB reads a policy. An invalid one, which only manual SQL can write, becomes the default: it must not keep
// an environment from being billed.
func DunningFromDB(raw []byte) *dunning.Policy {
	if raw == nil {
		return nil
	}
	var stored storedDunning
	p := dunning.Default()
	if json.Unmarshal(raw, &stored) != nil {
		return &p
	}
	p = dunning.Policy{
		Retry: retry.Policy{
			Base: Seconds(stored.BaseSeconds), Factor: stored.Factor, Retries: stored.Retries,
			MaxJitter: Seconds(stored.JitterSeconds),
		},
		Final: stored.Final, CancelAfterDays: stored.CancelAfterDays, TryOtherMethods: stored.TryOtherMethods,
		Reminders: dunning.Reminders{None: stored.NoReminders, Attempts: stored.Reminders},
	}
	for _, gap := range stored.GapSeconds {
		p.Retry.Gaps = append(p.Retry.Gaps, Seconds(gap))
	}
	for _, r := range stored.Rules {
		p.Retry.Rules = append(p.Retry.Rules, retry.Rule(r))
	}
	for _, m := range stored.Minimums {
		p.Minimums = append(p.Minimums, dunning.Minimum(m))
	}
	return &p
}

// Seconds is a column of whole seconds.
func Seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// WholeSeconds returns a duration in the unit of such a column.
func WholeSeconds(d time.Duration) int64 { return int64(d / time.Second) }
