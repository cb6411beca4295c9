package metered

import (
	"fmt"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// Threshold is a level of a period's usage that is announced once when it is reached: an amount, a percentage of the
// plan's commitment, or a quantity of a metric.
type Threshold struct {
	Amount     money.Minor   `json:"amount,omitempty"`
	Percent    money.Decimal `json:"percent,omitzero"` // of the commitment, such as 80
	MetricName string        `json:"metricName,omitempty"`
	Quantity   money.Decimal `json:"quantity,omitzero"` // of the metric
	// Invoice bills the usage so far at once.
	Invoice bool `json:"invoice,omitempty"`
}

// MaxThresholds bounds the thresholds of a plan, and those of a subscription.
const MaxThresholds = 20

// maxPercent is the largest percentage of a commitment: more is a typing error.
var maxPercent = money.Whole(10_000)

// Key returns the identity of the threshold: it counts as crossed in every version of a plan, and in a subscription.
func (t Threshold) Key() string {
	switch {
	case t.MetricName != "":
		return "quantity " + t.MetricName + " " + t.Quantity.String()
	case t.Percent.IsGiven():
		return "percent " + t.Percent.String()
	default:
		return fmt.Sprintf("amount %d", t.Amount)
	}
}

// SameThresholds reports whether thresholds are equal, and in the same order.
func SameThresholds(all, others []Threshold) bool {
	return slices.EqualFunc(all, others, func(a, b Threshold) bool { return a.Key() == b.Key() && a.Invoice == b.Invoice })
}

// CheckThresholds checks thresholds of these prices. The fault names the index of the threshold. Faults: those of
// CheckThresholdForms, usage_threshold_invalid.
func (p Prices) CheckThresholds(all []Threshold) error {
	if err := CheckThresholdForms(all); err != nil {
		return err
	}
	for i, t := range all {
		if err := p.checkThreshold(t); err != nil {
			return fault.From(err).Within(fmt.Sprintf("usageThresholds[%d]", i))
		}
	}
	return nil
}

// CheckThresholdForms checks thresholds without prices. The fault names the index of the threshold. Faults:
// usage_thresholds_out_of_range, usage_threshold_invalid, amount_too_large.
func CheckThresholdForms(all []Threshold) error {
	if len(all) > MaxThresholds {
		return fault.InvalidParam("usageThresholds", "usage_thresholds_out_of_range",
			"There are at most %d usage thresholds. The request has %d.", MaxThresholds, len(all))
	}
	for i, t := range all {
		err := t.check()
		if err == nil && slices.ContainsFunc(all[:i], func(other Threshold) bool { return other.Key() == t.Key() }) {
			err = thresholdInvalid("", "There is the same threshold before it. Omit one of them.")
		}
		if err != nil {
			return fault.From(err).Within(fmt.Sprintf("usageThresholds[%d]", i))
		}
	}
	return nil
}

func (t Threshold) check() error {
	kinds := 0
	for _, given := range []bool{t.Amount != 0, t.Percent.IsGiven(), t.MetricName != "" || t.Quantity.IsGiven()} {
		if given {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return thresholdInvalid("", "A threshold has an `amount`, a `percent`, or a `metricName` with a `quantity`. Send one of them.")
	case t.Amount < 0:
		return thresholdInvalid("amount", "The amount of a threshold is above 0.")
	case t.Percent.IsGiven() && (t.Percent.Sign() <= 0 || t.Percent.Cmp(maxPercent) > 0):
		return thresholdInvalid("percent", "`percent` is above 0 and at most %s. The request has %s.", maxPercent, t.Percent)
	case t.MetricName != "" && t.Quantity.Sign() <= 0:
		return thresholdInvalid("quantity", "A threshold of a metric has a `quantity` above 0.")
	}
	if err := t.Amount.Check(); err != nil {
		return fault.From(err).In("amount")
	}
	return nil
}

func (p Prices) checkThreshold(t Threshold) error {
	switch {
	case t.Percent.IsGiven() && p.Commitment == nil:
		return thresholdInvalid("percent", "`percent` is of the plan's `commitment`, which has none. Send an `amount`.")
	case t.Quantity.IsGiven() && !slices.ContainsFunc(p.Components, func(c Component) bool {
		return c.MetricName == t.MetricName
	}):
		return thresholdInvalid("metricName", "No metered price of the plan counts the metric %.40q.", t.MetricName)
	}
	return nil
}

func thresholdInvalid(field, detail string, args ...any) error {
	return fault.InvalidParam(field, "usage_threshold_invalid", detail, args...)
}

// Standing is the state of a period's usage.
type Standing struct {
	// Spent is its cost by now, without the rest of minimums and of the commitment, which is not usage.
	Spent      money.Minor
	Committed  money.Minor              // of the period; 0: none
	Quantities map[string]money.Decimal // by metric, as its prices count it
}

// Stand returns the state of a period's segments. Faults: those of rating.Price.Rate.
func Stand(segments []Segment, c money.Currency) (Standing, error) {
	s := Standing{Quantities: map[string]money.Decimal{}}
	for _, segment := range segments {
		charges, err := segment.Unbounded().owed(c)
		if err != nil {
			return Standing{}, err
		}
		spent, err := Total(charges)
		if err != nil {
			return Standing{}, err
		}
		if s.Spent, err = money.Sum(s.Spent, spent); err != nil {
			return Standing{}, err
		}
		if segment.Commitment != nil {
			s.Committed += segment.Share.Of(segment.Commitment.Amount)
		}
		counted := map[string]money.Decimal{} // of the segment: prices of one metric count the same records
		for _, used := range segment.Usage {
			if used.Fixed {
				continue
			}
			if sum, had := used.Quantities.Sum(), counted[used.MetricName]; !had.IsGiven() || sum.Cmp(had) > 0 {
				counted[used.MetricName] = sum
			}
		}
		for _, used := range segment.Usage {
			is, counts := counted[used.MetricName]
			if !counts {
				continue
			}
			delete(counted, used.MetricName)
			had, known := s.Quantities[used.MetricName]
			switch {
			case !known:
				s.Quantities[used.MetricName] = is
			case !used.Level:
				s.Quantities[used.MetricName] = had.Add(is)
			case is.Cmp(had) > 0: // levels do not add up
				s.Quantities[used.MetricName] = is
			}
		}
	}
	return s, nil
}

// Unbounded returns the segment without charges other than usage: minimums, a commitment and prices in arrears, which
// are known at its end. An invoice before the end bills its owed amount.
func (s Segment) Unbounded() Segment {
	s.Usage = slices.DeleteFunc(slices.Clone(s.Usage), func(used Used) bool { return used.Fixed })
	for i, used := range s.Usage {
		rates := slices.Clone(used.Rates)
		for n := range rates {
			rates[n].Price.Minimum = 0
		}
		s.Usage[i].Rates = rates
	}
	s.Commitment, s.Minimum = nil, nil
	return s
}

// Crossed returns the newly reached thresholds of a period, in their order; crossed has the keys of earlier ones. A
// crossed threshold stays crossed after any corrections.
func Crossed(all []Threshold, crossed map[string]bool, by Standing) (now []Threshold) {
	for _, t := range all {
		if !crossed[t.Key()] && t.reached(by) {
			now = append(now, t)
		}
	}
	return now
}

// reached reports whether the threshold is reached. A share of nothing never is.
func (t Threshold) reached(by Standing) bool {
	switch {
	case t.MetricName != "":
		is, counts := by.Quantities[t.MetricName]
		return counts && is.Cmp(t.Quantity) >= 0
	case t.Percent.IsGiven():
		share := money.Whole(int64(by.Committed)).Mul(t.Percent)
		return share.Sign() > 0 && money.Whole(int64(by.Spent)).Mul(money.Whole(100)).Cmp(share) >= 0
	default:
		return t.Amount > 0 && by.Spent >= t.Amount
	}
}
