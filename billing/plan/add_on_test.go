package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
)

func TestValidate_AddOnHasNothingOfASubscription(t *testing.T) {
	t.Parallel()
	policy := dunning.Default()
	for field, change := range map[string]func(*plan.Plan){
		"":                 func(*plan.Plan) {},
		"trialDays":        func(p *plan.Plan) { p.TrialDays = 7 },
		"trialEndBehavior": func(p *plan.Plan) { p.TrialEnd = plan.TrialEndPause },
		"dunning":          func(p *plan.Plan) { p.Dunning = &policy },
		"prorationMeasure": func(p *plan.Plan) { p.ProrationMeasure = proration.Day },
		"prices[1].once":   func(p *plan.Plan) { p.Prices[1].Once = true },
	} {
		p := plan.Plan{
			Name: "Backup", Currency: "EUR", Interval: period.Interval{Unit: period.Month, Count: 1}, AddOn: true,
			Prices: []plan.Price{plan.Flat("price_1", "", 100), plan.Flat("price_2", "", 200)},
		}
		change(&p)
		err := p.Validate()
		if field == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, [2]string{"add_on_field_unsupported", field}, [2]string{fault.From(err).Code, fault.From(err).Param})
		p.AddOn = false
		require.NoError(t, p.Validate(), "a plan has it")
	}
}
