package usage

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	serviceusage "perennial/service/usage"
)

// Metric turns usage records into a quantity, in one of its versions.
type Metric struct {
	ID          string                 `json:"id" example:"met_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Version     int                    `json:"version" example:"1" doc:"Counts from 1. To count differently is a new version."`
	Name        string                 `json:"name" example:"api_calls" doc:"What usage records call it (metricName)."`
	DisplayName string                 `json:"displayName" example:"API calls" doc:"For people."`
	Aggregation string                 `json:"aggregation" enum:"sum,count,max,last,unique_count,weighted_sum,latest_per_key" example:"sum" doc:"How records become a quantity: the sum of their quantities, their number, the largest quantity, the quantity of the latest record, the number of keys whose latest quantity is above 0, a level that records change averaged over time, or the latest quantity of each key added up."`
	Property    string                 `json:"property,omitempty" example:"bytes" doc:"The property that is aggregated. Absent: the quantity."`
	KeyProperty string                 `json:"keyProperty,omitempty" example:"user" doc:"The property whose values are the keys of unique_count and latest_per_key."`
	Filter      *view.MetricFilter     `json:"filter,omitempty" doc:"Which records count. Absent: all."`
	GroupBy     []string               `json:"groupBy,omitempty" doc:"The properties by which quantities are kept apart: its dimensions."`
	Conversion  *view.MetricConversion `json:"conversion,omitempty" doc:"How the quantity of a period is converted. Absent: it is not."`
	CarriesOver bool                   `json:"carriesOver,omitempty" doc:"true: what came before a period counts in it too. A weighted_sum always carries over."`
	Active      bool                   `json:"active" example:"true" doc:"false: it is archived and takes no new records."`
	CreatedAt   int64                  `json:"createdAt" example:"1763640000"`
}

func renderMetric(m usage.Metric) Metric {
	out := Metric{
		ID: m.ID, Version: m.Version, Name: m.Name, DisplayName: m.DisplayName, Aggregation: string(m.Aggregation),
		Property: m.Property, KeyProperty: m.KeyProperty, GroupBy: m.GroupBy, CarriesOver: m.Carries(), Active: m.Active,
		CreatedAt: view.Unix(m.CreatedAt),
	}
	shown := view.RenderMetricDefinition(m.Definition)
	out.Filter, out.Conversion = shown.Filter, shown.Conversion
	return out
}

type createMetricInput struct {
	Body view.MetricForm
}

func madeMetric(m usage.Metric) httpkit.Made[Metric] {
	return httpkit.Made[Metric]{Resource: renderMetric(m)}
}

func (h *Handler) createMetric(
	ctx context.Context, c *httpkit.Call, in *createMetricInput,
) (*httpkit.Reply[Metric], error) {
	definition, err := in.Body.Definition()
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
