package usage

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	serviceusage "perennial/service/usage"
)

// Metric turns usage records into a quantity, in one of its versions.
type Metric struct {
	ID          string            `json:"id" example:"met_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Version     int               `json:"version" example:"1" doc:"Counts from 1. To count differently is a new version."`
	Name        string            `json:"name" example:"api_calls" doc:"What usage records call it (metricName)."`
	DisplayName string            `json:"displayName" example:"API calls" doc:"For people."`
	Aggregation string            `json:"aggregation" enum:"sum,count,max,last,unique_count,weighted_sum,latest_per_key" example:"sum" doc:"How records become a quantity: the sum of their quantities, their number, the largest quantity, the quantity of the latest record, the number of keys whose latest quantity is above 0, a level that records change averaged over time, or the latest quantity of each key added up."`
	Property    string            `json:"property,omitempty" example:"bytes" doc:"The property that is aggregated. Absent: the quantity."`
	KeyProperty string            `json:"keyProperty,omitempty" example:"user" doc:"The property whose values are the keys of unique_count and latest_per_key."`
	Filter      *MetricFilter     `json:"filter,omitempty" doc:"Which records count. Absent: all."`
	GroupBy     []string          `json:"groupBy,omitempty" doc:"The properties by which quantities are kept apart: its dimensions."`
	Conversion  *MetricConversion `json:"conversion,omitempty" doc:"How the quantity of a period is converted. Absent: it is not."`
	CarriesOver bool              `json:"carriesOver,omitempty" doc:"true: what came before a period counts in it too. A weighted_sum always carries over."`
	Active      bool              `json:"active" example:"true" doc:"false: it is archived and takes no new records."`
	CreatedAt   int64             `json:"createdAt" example:"1763640000"`
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

func renderMetric(m usage.Metric) Metric {
	out := Metric{
		ID: m.ID, Version: m.Version, Name: m.Name, DisplayName: m.DisplayName, Aggregation: string(m.Aggregation),
		Property: m.Property, KeyProperty: m.KeyProperty, GroupBy: m.GroupBy, CarriesOver: m.Carries(), Active: m.Active,
		CreatedAt: view.Unix(m.CreatedAt),
	}
	if len(m.Filter.Include)+len(m.Filter.Exclude) > 0 {
		out.Filter = &MetricFilter{Include: m.Filter.Include, Exclude: m.Filter.Exclude}
	}
	if c := m.Conversion; c.MultiplyBy.IsGiven() || c.DivideBy.IsGiven() || c.Rounding != "" {
		out.Conversion = &MetricConversion{
			MultiplyBy: c.MultiplyBy.String(), DivideBy: c.DivideBy.String(), Rounding: string(c.Rounding), Digits: c.Digits,
		}
	}
	return out
}

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

// definition returns the definition of the form.
func (f MetricForm) definition() (usage.Definition, error) {
	d := usage.Definition{
		Aggregation: usage.Aggregation(f.Aggregation), Property: f.Property, KeyProperty: f.KeyProperty, GroupBy: f.GroupBy,
		CarriesOver: f.CarriesOver,
	}
	if f.Filter != nil {
		d.Filter = usage.Filter{Include: f.Filter.Include, Exclude: f.Filter.Exclude}
	}
	var factors view.Decimals
	if c := f.Conversion; c != nil {
		d.Conversion = usage.Conversion{
			Rounding: money.Rounding(c.Rounding), Digits: c.Digits,
			MultiplyBy: factors.Parse("conversion.multiplyBy", c.MultiplyBy),
			DivideBy:   factors.Parse("conversion.divideBy", c.DivideBy),
		}
	}
	return d, factors.Err
}

type createMetricInput struct {
	Body MetricForm
}

func madeMetric(m usage.Metric) httpkit.Made[Metric] {
	return httpkit.Made[Metric]{Resource: renderMetric(m)}
}

func (h *Handler) createMetric(
	ctx context.Context, c *httpkit.Call, in *createMetricInput,
) (*httpkit.Reply[Metric], error) {
	definition, err := in.Body.definition()
	if err != nil {
		return nil, err
	}
	form := serviceusage.NewMetric{Name: in.Body.Name, DisplayName: in.Body.DisplayName, Definition: definition}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, madeMetric,
		func(keep func(*db.Tx, usage.Metric) error) error {
			_, err := h.service.CreateMetric(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) getMetric(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Metric], error) {
	return httpkit.OK(renderMetric(httpkit.Resource[usage.Metric](c))), nil
}

type listMetricsInput struct {
	httpkit.Page
	Active string `query:"active" enum:"true,false" doc:"true: only metrics that take records. false: only archived ones."`
}

func (h *Handler) listMetrics(
	ctx context.Context, c *httpkit.Call, in *listMetricsInput,
) (*httpkit.Reply[httpkit.List[Metric]], error) {
	page, err := in.DB(id.Metric)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Usage.Metrics(ctx, c.EnvironmentID, db.MetricFilter{Active: view.Chosen(in.Active)}, page)
	return httpkit.ListOf(rows, more, err, renderMetric)
}

func (h *Handler) listMetricVersions(
	ctx context.Context, c *httpkit.Call, in *httpkit.ByID,
) (*httpkit.Reply[httpkit.List[Metric]], error) {
	metrics, err := h.store.Usage.MetricVersions(ctx, c.EnvironmentID, in.ID)
	return httpkit.ListOf(metrics, false, err, renderMetric)
}
