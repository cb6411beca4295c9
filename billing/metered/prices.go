package metered

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/usage"
)

// Prices are a plan's prices after each period: its components, their minimum sum, and the minimum of a period with all
// charges in advance.
type Prices struct {
	Components []Component `json:"components"`
	Commitment *Commitment `json:"commitment,omitempty"` // nil: none
	// Thresholds are announced when a period reaches them. A subscription may have others.
	Thresholds []Threshold `json:"thresholds,omitempty"`
	Minimum    *Minimum    `json:"minimum,omitempty"` // nil: none
}

// MaxComponents bounds the components of one plan.
const MaxComponents = 20

// maxOverageFactor is the largest factor of an overage: more is a typing error.
var maxOverageFactor = money.Whole(100)

// Check does all checks that need no metric. The fault has the API's name of the field. Faults:
// metered_prices_out_of_range, metered_commitment_invalid, plan_minimum_invalid, those of CheckThresholds, those of
// Component.Validate without a metric.
func (p Prices) Check() error {
	bare := len(p.Components) == 0 && (p.Commitment != nil || p.Minimum == nil)
	if bare || len(p.Components) > MaxComponents {
		return fault.InvalidParam("meteredPrices", "metered_prices_out_of_range",
			"A plan has at most %d metered prices, and at least one where it has a `commitment`. The request has %d.",
			MaxComponents, len(p.Components))
	}
	for i, c := range p.Components {
		if err := c.check(); err != nil {
			return fault.From(err).Within(place(i))
		}
	}
	if p.Minimum != nil {
		if err := p.Minimum.check(); err != nil {
			return err
		}
	}
	if p.Commitment != nil {
		if err := p.Commitment.check(); err != nil {
			return err
		}
	}
	return p.CheckThresholds(p.Thresholds)
}

// check refuses a commitment or a factor that is not positive, and a factor that is too large. Faults:
// metered_commitment_invalid, amount_too_large.
func (k Commitment) check() error {
	factor := k.OverageFactor
	switch {
	case k.Amount <= 0:
		return fault.InvalidParam("commitment.amount", "metered_commitment_invalid",
			"A commitment is above 0. Omit `commitment` where there is none.")
	case factor.IsGiven() && (factor.Sign() <= 0 || factor.Cmp(maxOverageFactor) > 0):
		return fault.InvalidParam("commitment.overageFactor", "metered_commitment_invalid",
			"`overageFactor` is above 0 and at most %s. The request has %s.", maxOverageFactor, factor)
	}
	if err := k.Amount.Check(); err != nil {
		return fault.From(err).In("commitment.amount")
	}
	return nil
}

// place returns the API's name of a component.
func place(i int) string { return fmt.Sprintf("meteredPrices[%d]", i) }

// Unresolved returns the metrics of components without a version, each once.
func (p Prices) Unresolved() (names []string) {
	for _, c := range p.Components {
		if c.MetricVersionID == "" && !slices.Contains(names, c.MetricName) {
			names = append(names, c.MetricName)
		}
	}
	return names
}

// Resolve returns the prices with the present versions of metrics, by their names; a component with a version keeps it.
// Faults: metric_not_found, those of Component.Validate.
func (p Prices) Resolve(metrics map[string]usage.Metric) (Prices, error) {
	p.Components = slices.Clone(p.Components)
	for i, c := range p.Components {
		if c.MetricVersionID != "" {
			continue
		}
		of, known := metrics[c.MetricName]
		if !known {
			return p, fault.New(fault.NotFound, "metric_not_found",
				"There is no metric %.40q that takes records. Create it first.", c.MetricName).In(place(i) + ".metricName")
		}
		if err := c.Validate(of); err != nil {
			return p, fault.From(err).Within(place(i))
		}
		p.Components[i].MetricVersionID = of.VersionID()
	}
	return p, nil
}

// Identified returns the prices of a plan's next version with ids: a component that charges the same as an earlier one
// keeps its id, so that cumulated tiers continue. The others, the commitment and the minimum get new ids.
func (p Prices) Identified(before *Prices, newID func() string) Prices {
	left := slices.Clone(before.list().Components)
	p.Components = slices.Clone(p.Components)
	for i, c := range p.Components {
		same := slices.IndexFunc(left, func(was Component) bool { return was.charges() == c.charges() })
		if same < 0 {
			p.Components[i].ID = newID()
			continue
		}
		p.Components[i].ID = left[same].ID
		left = slices.Delete(left, same, same+1)
	}
	if p.Commitment != nil {
		own := *p.Commitment
		own.ID, p.Commitment = newID(), &own
	}
	if p.Minimum != nil {
		own := *p.Minimum
		own.ID, p.Minimum = newID(), &own
	}
	return p
}

// charges returns a text that is equal for components with the same charges, under any names.
func (c Component) charges() string {
	c.ID, c.Name = "", ""
	return c.text()
}

// text returns the JSON of a component.
func (c Component) text() string {
	text, _ := json.Marshal(c) // texts, numbers and lists of them
	return string(text)
}

// Same reports whether components have the same charges and descriptions, with any ids and in any order. A metric
// without a version in one of the two equals any version.
func (p *Prices) Same(other *Prices) bool {
	a, b := p.list(), other.list()
	return slices.Equal(a.written(b.Unresolved()), b.written(a.Unresolved()))
}

// With returns these prices with those of an add-on; nil: none.
func (p *Prices) With(addOn *Prices) *Prices {
	if p == nil || addOn == nil {
		return cmp.Or(p, addOn)
	}
	out := *p
	out.Components = slices.Concat(p.Components, addOn.Components)
	return &out
}

// Component returns one of the components; ok is false where none has the id.
func (p *Prices) Component(id string) (c Component, ok bool) {
	for _, c := range p.list().Components {
		if c.ID == id {
			return c, true
		}
	}
	return c, false
}

// list returns p, or prices without components for nil.
func (p *Prices) list() Prices {
	if p == nil {
		return Prices{}
	}
	return *p
}

// written returns each component as a text without its id, in sorted order; without the versions of metrics that are
// unresolved in either list.
func (p Prices) written(unresolved []string) []string {
	unresolved = append(unresolved, p.Unresolved()...)
	texts := make([]string, len(p.Components))
	for i, c := range p.Components {
		c.ID = ""
		if slices.Contains(unresolved, c.MetricName) {
			c.MetricVersionID = ""
		}
		texts[i] = c.text()
	}
	slices.Sort(texts)
	return texts
}

// SameCommitment reports whether the commitments are equal, with any ids.
func (p *Prices) SameCommitment(other *Prices) bool {
	a, b := p.list().Commitment, other.list().Commitment
	if a == nil || b == nil {
		return a == b
	}
	return a.Amount == b.Amount && maps.Equal(a.Currencies, b.Currencies) &&
		a.OverageFactor.IsGiven() == b.OverageFactor.IsGiven() && a.OverageFactor.Cmp(b.OverageFactor) == 0
}

// SameThresholds reports whether the thresholds are equal, and in the same order.
func (p *Prices) SameThresholds(other *Prices) bool {
	return SameThresholds(p.list().Thresholds, other.list().Thresholds)
}
