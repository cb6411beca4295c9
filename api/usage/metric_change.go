package usage

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	serviceusage "perennial/service/usage"
)

type updateMetricInput struct {
	httpkit.ByID
	Body MetricChange
}

// MetricChange changes the fields that are sent and keeps the others. A definition creates the next version.
type MetricChange struct {
	DisplayName *string                `json:"displayName,omitempty" minLength:"1" maxLength:"100" example:"API calls" doc:"For people."`
	Active      *bool                  `json:"active,omitempty" doc:"false: archives it, and it takes no new records. true: it does again."`
	Definition  *view.MetricDefinition `json:"definition,omitempty" doc:"Makes the next version, which counts in this way. What is absent has its default, not the value of the version before."`
}

func (h *Handler) updateMetric(
	ctx context.Context, c *httpkit.Call, in *updateMetricInput,
) (*httpkit.Reply[Metric], error) {
	update := serviceusage.MetricUpdate{DisplayName: in.Body.DisplayName, Active: in.Body.Active}
	if d := in.Body.Definition; d != nil {
		definition, err := d.Definition()
		if err != nil {
			return nil, fault.From(err).Within("definition")
		}
		update.Definition = &definition
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, madeMetric,
		func(keep func(*db.Tx, usage.Metric) error) error {
			_, err := h.service.UpdateMetric(ctx, usecase.Caller(c), in.ID, update, keep)
			return err
		})
}

// metricOperations has no deletion: records and invoices refer to metrics for as long as they are kept.
func (h *Handler) metricOperations() {
	example := Metric{
		ID: "met_01jcz6dyqx4w9s1c2k7v5h8m3n", Version: 1, Name: "api_calls", DisplayName: "API calls", Aggregation: "sum",
		Filter: &view.MetricFilter{Exclude: []map[string][]string{{"status": {"500", "503"}}}}, GroupBy: []string{"region"},
		Active: true, CreatedAt: 1763640000,
	}
	second, no := example, false
	second.Active = false
	load := httpkit.LoadByID(h.kit, id.Metric, db.ErrMetricNotFound, h.store.Usage.MetricWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createMetric", Method: http.MethodPost, Path: "/metrics", Tag: "Usage", Summary: "Create a metric",
		Description: "Usage records of its name become a quantity in the way of its aggregation. Records are kept as they " +
			"are sent, so that a later version counts those from before as well.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: example,
		Request: view.MetricForm{
			Name: "api_calls", DisplayName: "API calls", Aggregation: "sum", GroupBy: []string{"region"}, Filter: example.Filter,
		},
	}, h.createMetric)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getMetric", Method: http.MethodGet, Path: "/metrics/{id}", Tag: "Usage", Summary: "Get a metric",
		Description: "In its newest version.", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: example,
	}, h.getMetric)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listMetrics", Method: http.MethodGet, Path: "/metrics", Tag: "Usage", Summary: "List metrics",
		Description: "Each in its newest version.", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[Metric]{Data: []Metric{example}},
	}, h.listMetrics)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listMetricVersions", Method: http.MethodGet, Path: "/metrics/{id}/versions", Tag: "Usage",
		Summary: "List the versions of a metric", Description: "All versions, the newest first; a metric has at most 20.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: httpkit.List[Metric]{Data: []Metric{example}},
	}, h.listMetricVersions)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateMetric", Method: http.MethodPatch, Path: "/metrics/{id}", Tag: "Usage",
		Summary: "Rename or archive a metric, or make its next version",
		Description: "What a version counts never changes: a definition makes the next version, which all records of the " +
			"metric are counted for, also those from before; until they are, summaries show the version before. " +
			"A definition that is that of the newest version is refused with 409 metric_version_unchanged, and one with another property or keyProperty, or that begins or ceases to " +
			"carry over, with 422 metric_version_incompatible: all versions take the same records. Create another metric.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Request: MetricChange{Active: &no}, Response: second,
	}, h.updateMetric)
}
