package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"perennial/api/view"
	"perennial/billing/catalog"
	"perennial/billing/dunning"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/internal/yamldoc"
)

// WriteFile writes a catalogue file that describes plans, and items that are not nil. One without a key gets one of its
// name. With its id in the file it is adopted when the file is applied; without, it would be created again, as in
// another environment.
func WriteFile(plans []plan.Plan, items catalog.Items, withIDs bool) ([]byte, error) {
	taken, keys, keyOf := map[string]bool{}, make([]string, len(plans)), map[string]string{}
	for _, p := range plans {
		taken[p.Key] = true
	}
	for i, p := range plans {
		if keys[i] = p.Key; p.Key == "" {
			keys[i] = freeKey("plan", p.Name, taken)
		}
		keyOf[p.ID] = keys[i]
	}
	sections := formsOf(items, keyOf, withIDs)
	described := ordered[FilePlan]{}
	for i, p := range plans {
		form := formOf(p)
		if p.Key == "" && withIDs {
			form.ID = p.ID
		}
		if key, ok := sections.productKey[p.ProductID]; ok {
			form.Product = &key
		}
		described = append(described, keyed[FilePlan]{keys[i], form})
	}
	return yamldoc.Render(struct {
		Products ordered[FileProduct] `json:"products,omitempty"`
		TaxRates ordered[FileTaxRate] `json:"taxRates,omitempty"`
		Metrics  ordered[FileMetric]  `json:"metrics,omitempty"`
		Plans    ordered[FilePlan]    `json:"plans"`
		Coupons  ordered[FileCoupon]  `json:"coupons,omitempty"`
	}{sections.products, sections.taxRates, sections.metrics, described, sections.coupons})
}

// ordered is a JSON object that keeps its order.
type ordered[F any] []keyed[F]

type keyed[F any] struct {
	key  string
	form F
}

// MarshalJSON writes the forms by their keys.
func (o ordered[F]) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, p := range o {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(p.key)
		if err != nil {
			return nil, err
		}
		form, err := json.Marshal(p.form)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, key...), ':'), form...)
	}
	return append(out, '}'), nil
}

// formOf is a plan as a file describes it.
func formOf(p plan.Plan) FilePlan {
	form := FilePlan{PlanTerms: PlanTerms{
		Name: p.Name, Currency: string(p.Currency), Interval: string(p.Interval.Unit), TrialDays: p.TrialDays,
		Measure: string(p.ProrationMeasure), Metadata: view.Metadata(p.Metadata),
	}, Active: unlessTrue(p.Active)}
	if !p.TrialEnd.Same(plan.TrialEndInvoice) {
		form.TrialEnd = string(p.TrialEnd)
	}
	if p.Interval.Count != 1 {
		form.IntervalCount = &p.Interval.Count
	}
	if p.AddOn {
		form.Kind = addOnKind
	}
	if p.Dunning != nil {
		policy := view.RenderDunning(*p.Dunning)
		form.Dunning = &policy
	}
	for _, price := range p.Prices {
		shown := renderPrice(price, p.Currency).undeprecated()
		one := PriceForm{Name: price.Name, PriceModel: shown.PriceModel}
		if price.Model == rating.Flat {
			one.Amount = &shown.Amount
		}
		form.Prices = append(form.Prices, one)
	}
	shown, commitment := renderMetered(p.Metered, p.Currency)
	for _, one := range shown {
		form.MeteredPrices = append(form.MeteredPrices, one.MeteredPriceForm)
	}
	if p.Metered != nil {
		form.UsageThresholds = view.RenderThresholds(p.Metered.Thresholds)
	}
	form.Commitment, form.Minimum, form.Features = commitment, renderMinimum(p.Metered), renderFeatures(p.Features)
	return form
}

// WriteDunning writes a dunning policy in one line, as a catalogue file has it.
func WriteDunning(p dunning.Policy) (string, error) {
	text, err := json.Marshal(view.RenderDunning(p))
	return string(text), err
}

// freeKey makes a key of a name that no object of the section has yet: "Pro, monthly" becomes pro-monthly, a second one
// pro-monthly-2. base stands for a name without letters.
func freeKey(base, name string, taken map[string]bool) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) > 0 {
		base = strings.Join(words, "-")
	}
	base = base[:min(len(base), 58)] // room for a number
	key := base
	for n := 2; taken[key]; n++ {
		key = fmt.Sprintf("%s-%d", base, n)
	}
	taken[key] = true
	return key
}
