package event

// The types about metrics.
const (
	TypeMetricCreated Type = "metric.created"
	TypeMetricUpdated Type = "metric.updated"
)

// MetricCreated means that a metric takes usage records.
type MetricCreated struct {
	ID string `json:"id" doc:"The metric."`
}

// MetricUpdated means that a metric was renamed, archived or activated again, or has a new version.
type MetricUpdated struct {
	ID      string   `json:"id" doc:"The metric."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

func (e MetricCreated) about() about { return about{objectID: e.ID} }
func (e MetricUpdated) about() about { return about{objectID: e.ID} }

// Type implements Data.
func (MetricCreated) Type() Type { return TypeMetricCreated }

// Type implements Data.
func (MetricUpdated) Type() Type { return TypeMetricUpdated }
