package view

import (
	"fmt"

	"perennial/billing/metered"
	"perennial/billing/money"
)

// UsageThreshold is an extent of a period's usage that is announced when it is reached.
type UsageThreshold struct {
	Amount     int64  `json:"amount,omitempty" minimum:"1" maximum:"999999999999" example:"50000" doc:"What the usage of a period costs, in minor units of the plan's currency, before discounts and taxes, and without what minimums and the commitment add. Send this, percent, or metricName with quantity."`
	Percent    string `json:"percent,omitempty" maxLength:"30" example:"80" doc:"The same as a percentage of the plan's commitment: a decimal."`
	MetricName string `json:"metricName,omitempty" maxLength:"100" example:"api_calls" doc:"A metric that a metered price counts."`
	Quantity   string `json:"quantity,omitempty" maxLength:"30" example:"100000" doc:"With metricName: what it comes to in a period, a decimal."`
	Invoice    bool   `json:"invoice,omitempty" doc:"true: what was used by then and is on no invoice is billed at once. Default: only the event usage.threshold_reached is sent."`
}

// Thresholds reads the thresholds of a form; nil stays nil.
func Thresholds(forms []UsageThreshold) ([]metered.Threshold, error) {
	if forms == nil {
		return nil, nil
	}
	var d Decimals
	all := make([]metered.Threshold, len(forms))
	for i, f := range forms {
		at := fmt.Sprintf("usageThresholds[%d].", i)
		all[i] = metered.Threshold{
			Amount: money.Minor(f.Amount), Percent: d.Parse(at+"percent", f.Percent), MetricName: f.MetricName,
			Quantity: d.Parse(at+"quantity", f.Quantity), Invoice: f.Invoice,
		}
	}
	return all, d.Err
}

// RenderThresholds shows thresholds; nil: there are none.
func RenderThresholds(all []metered.Threshold) []UsageThreshold {
	if len(all) == 0 {
		return nil
	}
	out := make([]UsageThreshold, len(all))
	for i, t := range all {
		out[i] = UsageThreshold{
			Amount: int64(t.Amount), Percent: t.Percent.String(), MetricName: t.MetricName, Quantity: t.Quantity.String(),
			Invoice: t.Invoice,
		}
	}
	return out
}
