package view

import (
	"perennial/billing/money"
	"perennial/billing/usage"
)

// MetricForm creates a metric.
type MetricForm struct {
	Name        string            `json:"name" minLength:"1" maxLength:"100" example:"api_calls" doc:"What usage records call it: letters, digits and _ . : / -, beginning with a letter. Unique in the environment; it never changes."`
	DisplayName string            `json:"displayName,omitempty" maxLength:"100" example:"API calls" doc:"For people. Default: the name."`
	Aggregation string            `json:"aggregation" enum:"sum,count,max,last,unique_count,weighted_sum,latest_per_key" example:"sum" doc:"How records become a quantity; see the metric."`
	Property    string            `json:"property,omitempty" maxLength:"100" example:"bytes" doc:"The property that is aggregated, a decimal. Default: the quantity."`
	KeyProperty string            `json:"keyProperty,omitempty" maxLength:"100" example:"user" doc:"Of unique_count and latest_per_key: the property whose values are the keys."`
	Filter      *MetricFilter     `json:"filter,omitempty" doc:"Which records count. Default: all."`
	GroupBy     []string          `json:"groupBy,omitempty" maxItems:"5" doc:"The properties by which quantities are kept apart. Put no personal data into them: their values stay in quantities and on invoices when a customer is erased."`
	Conversion  *MetricConversion `json:"conversion,omitempty" doc:"How the quantity of a period is converted. Default: not at all."`
	CarriesOver bool              `json:"carriesOver,omitempty" doc:"Whether what came before a period counts in it too, as seats do that were added. Of sum, unique_count and latest_per_key."`
}

// MetricDefinition is the definition of a version.
type MetricDefinition struct {
	Aggregation string            `json:"aggregation" enum:"sum,count,max,last,unique_count,weighted_sum,latest_per_key" example:"sum" doc:"How records become a quantity; see the metric."`
	Property    string            `json:"property,omitempty" maxLength:"100" doc:"The property that is aggregated, a decimal; that of the version before. Default: the quantity."`
	KeyProperty string            `json:"keyProperty,omitempty" maxLength:"100" doc:"Of unique_count and latest_per_key: the property whose values are the keys; that of the version before."`
	Filter      *MetricFilter     `json:"filter,omitempty" doc:"Which records count. Default: all."`
	GroupBy     []string          `json:"groupBy,omitempty" maxItems:"5" doc:"The properties by which quantities are kept apart. Put no personal data into them: their values stay in quantities and on invoices when a customer is erased."`
	Conversion  *MetricConversion `json:"conversion,omitempty" doc:"How the quantity of a period is converted. Default: not at all."`
	CarriesOver bool              `json:"carriesOver,omitempty" doc:"Whether what came before a period counts in it too."`
}

// Definition returns the definition of the form.
func (f MetricForm) Definition() (usage.Definition, error) {
	return MetricDefinition{
		Aggregation: f.Aggregation, Property: f.Property, KeyProperty: f.KeyProperty, Filter: f.Filter, GroupBy: f.GroupBy,
		Conversion: f.Conversion, CarriesOver: f.CarriesOver,
	}.Definition()
}

// Definition returns the definition of a version.
func (f MetricDefinition) Definition() (usage.Definition, error) {
	d := usage.Definition{
		Aggregation: usage.Aggregation(f.Aggregation), Property: f.Property, KeyProperty: f.KeyProperty, GroupBy: f.GroupBy,
		CarriesOver: f.CarriesOver,
	}
	if f.Filter != nil {
		d.Filter = usage.Filter{Include: f.Filter.Include, Exclude: f.Filter.Exclude}
	}
	var factors Decimals
	if c := f.Conversion; c != nil {
		d.Conversion = usage.Conversion{
			Rounding: money.Rounding(c.Rounding), Digits: c.Digits,
			MultiplyBy: factors.Parse("conversion.multiplyBy", c.MultiplyBy),
			DivideBy:   factors.Parse("conversion.divideBy", c.DivideBy),
		}
	}
	return d, factors.Err
}

// MetricFilter selects records by their properties.
type MetricFilter struct {
	Include map[string][]string   `json:"include,omitempty" minProperties:"1" doc:"Properties with the values of which a record must have one."`
	Exclude []map[string][]string `json:"exclude,omitempty" maxItems:"20" doc:"A record that matches all properties of one entry does not count."`
}

// MetricConversion converts the reported unit to the sold one: it multiplies, divides, then rounds.
type MetricConversion struct {
	MultiplyBy string `json:"multiplyBy,omitempty" maxLength:"26" example:"1.5" doc:"A decimal greater than 0."`
	DivideBy   string `json:"divideBy,omitempty" maxLength:"26" example:"3600" doc:"A decimal greater than 0."`
	Rounding   string `json:"rounding,omitempty" enum:"half_up,up,down" example:"up" doc:"Half away from zero, away from zero, or towards zero. Absent: not rounded."`
	Digits     int32  `json:"digits,omitempty" minimum:"-12" maximum:"12" doc:"Digits behind the point; below 0, to tens, hundreds and so on."`
}

// RenderMetricDefinition returns a definition as it is sent.
func RenderMetricDefinition(d usage.Definition) MetricDefinition {
	out := MetricDefinition{
		Aggregation: string(d.Aggregation), Property: d.Property, KeyProperty: d.KeyProperty, GroupBy: d.GroupBy,
		CarriesOver: d.CarriesOver,
	}
	if len(d.Filter.Include)+len(d.Filter.Exclude) > 0 {
		out.Filter = &MetricFilter{Include: d.Filter.Include, Exclude: d.Filter.Exclude}
	}
	if c := d.Conversion; c.MultiplyBy.IsGiven() || c.DivideBy.IsGiven() || c.Rounding != "" {
		out.Conversion = &MetricConversion{
			MultiplyBy: c.MultiplyBy.String(), DivideBy: c.DivideBy.String(), Rounding: string(c.Rounding), Digits: c.Digits,
		}
	}
	return out
}
