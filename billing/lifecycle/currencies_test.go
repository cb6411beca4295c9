package lifecycle_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/foresight"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/internal/testkit"
)

// abroad returns a plan in dollars with the plan's prices in its own currency.
func abroad(p plan.Plan) plan.Plan {
	own := p.Currency
	p.Currency, p.Prices = "USD", append([]plan.Price{}, p.Prices...)
	for i, price := range p.Prices {
		twice, amounts := doubled(price.Price)
		p.Prices[i].Price, p.Prices[i].Currencies = twice, plan.Currencies{own: amounts}
	}
	if p.Metered == nil {
		return p
	}
	m := metered.Prices{Components: append([]metered.Component{}, p.Metered.Components...)}
	for i, c := range m.Components {
		m.Components[i].Rates = append([]metered.Rate{}, c.Rates...)
		for n, rate := range c.Rates {
			twice, amounts := doubled(rate.Price)
			m.Components[i].Rates[n].Price, m.Components[i].Rates[n].Currencies = twice, rating.Currencies{own: amounts}
		}
	}
	if p.Metered.Commitment != nil {
		k := *p.Metered.Commitment
		k.Amount, k.Currencies = 2*k.Amount, map[money.Currency]money.Minor{own: k.Amount}
		m.Commitment = &k
	}
	p.Metered = &m
	return p
}

// doubled returns a price at twice the cost, and the amounts of the given one.
func doubled(price rating.Price) (twice rating.Price, own rating.Amounts) {
	own = rating.Amounts{Amount: price.Amount, UnitPrice: price.UnitPrice, Minimum: price.Minimum, Maximum: price.Maximum}
	price.Amount, price.UnitPrice = 2*price.Amount, price.UnitPrice.Add(price.UnitPrice)
	price.Tiers = append([]rating.Tier{}, price.Tiers...)
	for t, tier := range price.Tiers {
		own.Tiers = append(own.Tiers, rating.TierAmounts{UnitPrice: tier.UnitPrice, FlatAmount: tier.FlatAmount})
		price.Tiers[t].UnitPrice, price.Tiers[t].FlatAmount = tier.UnitPrice.Add(tier.UnitPrice), 2*tier.FlatAmount
	}
	if len(price.Tiers) == 0 {
		price.Tiers = nil
	}
	return price, own
}

// fromAbroad returns a command with plans of another currency that are also sold in the subscription's.
func fromAbroad(cmd lifecycle.Command) lifecycle.Command {
	switch c := cmd.(type) {
	case lifecycle.ChangePlan:
		if c.Plan != nil {
			to := abroad(*c.Plan)
			c.Plan = &to
		}
		if c.AddOns != nil {
			addOns := append([]subscription.Chosen{}, *c.AddOns...)
			for i := range addOns {
				addOns[i].AddOn = abroad(addOns[i].AddOn)
			}
			c.AddOns = &addOns
		}
		return c
	case lifecycle.Migrate:
		to := abroad(*c.To)
		c.To = &to
		return c
	default:
		return cmd
	}
}

func TestApply_PlansSoldInTheSubscriptionsCurrency(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.abroad = true
	l.pass(2 * week)

	l.changePlan(pro, false)

	last := l.store.invoices[len(l.store.invoices)-1]
	require.EqualValues(t, "EUR", last.Currency)
	require.EqualValues(t, 1000, last.Total, "two weeks of pro for two of team, in euros")
	require.EqualValues(t, "EUR", l.store.load(false).Plan.Currency)
}

// A plan, a version or an add-on that is not sold in the subscription's currency is refused where it would be billed,
// also if it was sold in it before.
func TestApply_RefusesAnotherCurrency(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	dollars, version, addOn := abroad(pro), abroad(team), abroad(pro)
	for _, p := range []plan.Plan{dollars, version, addOn} {
		p.Prices[0].Currencies = plan.Currencies{"XAF": {Amount: 1}}
	}
	version.Version, addOn.ID, addOn.AddOn = 2, "plan_add_on", true
	on := l.now.Add(time.Hour)
	chosen := []subscription.Chosen{{AddOn: addOn}}
	for name, c := range map[string]struct {
		cmd   lifecycle.Command
		param string
	}{
		"a plan":                      {lifecycle.ChangePlan{Plan: &dollars}, "planId"},
		"a plan at the period's end":  {lifecycle.ChangePlan{Plan: &dollars, AtPeriodEnd: true}, "planId"},
		"a plan at a date":            {lifecycle.ChangePlan{Plan: &dollars, On: on}, "planId"},
		"an add-on":                   {lifecycle.ChangePlan{AddOns: &chosen}, "addOns[0].planId"},
		"a version":                   {lifecycle.Migrate{To: &version}, "planVersion"},
		"a version at the period end": {lifecycle.Migrate{To: &version, AtPeriodEnd: true}, "planVersion"},
	} {
		_, err := l.apply(c.cmd)
		require.ErrorContains(
			t, err, "currency_mismatch: The plan is sold in USD, XAF, and not in EUR, the subscription's currency", name,
		)
		require.Equal(t, c.param, fault.From(err).Param, name)
		_, preview := foresight.Preview(l.store.load(false), c.cmd, 1, nil, l.moment())
		require.Equal(t, err, preview, name)
	}
	version.Version = 1 // a request for the present plan keeps its version
	_, err := l.apply(lifecycle.ChangePlan{Plan: &version, Quantity: 2})
	require.NoError(t, err)
	require.Equal(t, team.Ref(), l.sub().Plan())
}

// A plan with prices in the subscription's currency leads to the same lines as a plan in that currency.
func TestLives_AreTheSameUnderPlansSoldInTheirCurrency(t *testing.T) {
	t.Parallel()
	seed, billed := testkit.Seed(t), 0
	for n := range 60 {
		live := func(abroad bool) *life {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			draw := func(n int, _ string) int { return random.IntN(n) }
			l := someLife(named{t, seed, n}, draw)
			l.abroad, l.thorough = abroad, false
			for range massSteps {
				l.step(draw)
			}
			return l
		}
		written, sold := live(false), live(true)
		require.Equal(t, written.store.invoices, sold.store.invoices, "life %d of seed %d", n, seed)
		require.Equal(t, written.sub(), sold.sub(), "life %d of seed %d", n, seed)
		billed += len(sold.store.invoices)
	}
	require.Greater(t, billed, 60, "something was billed")
}
