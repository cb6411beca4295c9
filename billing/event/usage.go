package event

// TypeUsageThresholdReached is the type about the usage of subscriptions.
const TypeUsageThresholdReached Type = "usage.threshold_reached"

// UsageThresholdReached means that the usage of a subscription's current period has reached a threshold of its plan, or
// of its own: once for each period, whatever corrections take back. An invoice that the threshold asks for follows.
type UsageThresholdReached struct {
	Subscription
	Amount      int64  `json:"amount,omitempty" doc:"Of a threshold in money: its amount, in minor units."`
	Percent     string `json:"percent,omitempty" doc:"Of a threshold in percent of the plan's commitment."`
	MetricName  string `json:"metricName,omitempty" doc:"Of a threshold in units: the metric."`
	Quantity    string `json:"quantity,omitempty" doc:"Of a threshold in units: how many."`
	Currency    string `json:"currency" doc:"ISO 4217 code."`
	Spent       int64  `json:"spent" doc:"What the usage of the period costs by now, in minor units, before discounts and taxes."`
	PeriodIndex int    `json:"periodIndex" doc:"Counts the billing periods of the subscription, from 1: the one that reached it."`
	PeriodStart int64  `json:"periodStart" doc:"Its first instant, in Unix seconds."`
	PeriodEnd   int64  `json:"periodEnd" doc:"The first instant after it, in Unix seconds."`
}

// Type implements Data.
func (UsageThresholdReached) Type() Type { return TypeUsageThresholdReached }
