package lifecycle_test

import (
	"fmt"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/retry"
	"perennial/billing/subscription"
)

const week = 7 * 24 * time.Hour

// The first period has 28 days: a week costs 250 on team and 750 on pro.
var (
	created  = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)
	month    = period.Interval{Unit: period.Month, Count: 1}
	year     = period.Interval{Unit: period.Year, Count: 1}
	team     = flat("plan_team", month, 1000)
	pro      = flat("plan_pro", month, 3000)
	free     = flat("plan_free", month, 0)
	yearly   = flat("plan_year", year, 12000)
	plans    = []plan.Plan{team, pro, free, yearly}
	settings = subscription.Settings{
		Dunning:        dunning.Policy{Retry: retry.Policy{Base: 24 * time.Hour, Factor: 2, Retries: 3}, Final: dunning.PastDue},
		PastDueBilling: subscription.SkipPastDue,
	}
)

func flat(id string, every period.Interval, amounts ...money.Minor) plan.Plan {
	p := plan.Plan{ID: id, Version: 1, Name: id, Currency: "EUR", Interval: every, Active: true}
	for _, a := range amounts {
		p.Prices = append(p.Prices, plan.Flat(fmt.Sprintf("%s_price_%d", id, len(p.Prices)), "", a))
	}
	return p
}
