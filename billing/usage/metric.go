package usage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"perennial/billing/fault"
)

// Metric turns records of one name into a quantity, in one of its versions. The definition of a version never changes:
// another definition is a new version, and prices name their version. All versions have the same name.
type Metric struct {
	ID          string // of the metric, in all versions
	Version     int    // counts from 1
	Name        string // the name in records
	DisplayName string
	Active      bool // accepts records
	CreatedAt   time.Time
	VersionAt   time.Time // the creation of this version
	Definition
}

// Definition is the definition of a version.
type Definition struct {
	Aggregation Aggregation `json:"aggregation"`
	Property    string      `json:"property,omitempty"`    // the aggregated property; empty: the quantity
	KeyProperty string      `json:"keyProperty,omitempty"` // the property that separates keys
	Filter      Filter      `json:"filter,omitzero"`
	GroupBy     []string    `json:"groupBy,omitempty"`
	Conversion  Conversion  `json:"conversion,omitzero"`
	// CarriesOver includes earlier usage in a period: added seats stay. A weighted sum always does.
	CarriesOver bool `json:"carriesOver,omitempty"`
}

// The bounds of a metric.
const (
	MaxVersions     = 20 // records are counted for each
	MaxGroupBy      = 5
	MaxFilterValues = 100
)

var namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:/-]*$`)

// Carries reports whether a period's quantity depends on earlier usage.
func (d Definition) Carries() bool { return d.CarriesOver || d.Aggregation == WeightedSum }

// Levels reports whether a period's quantity is a level: the maximum, the last value, or a set. Parts of a period each
// have their own level, so their quantities do not add up to that of the whole.
func (d Definition) Levels() bool {
	switch d.Aggregation {
	case Sum, Count:
		return d.CarriesOver
	case WeightedSum:
		return false
	default:
		return true
	}
}

// VersionID returns the id of a version: the metric's id, with its number after a dot for all but the first.
func (m Metric) VersionID() string {
	if m.Version == 1 {
		return m.ID
	}
	return m.ID + "." + strconv.Itoa(m.Version)
}

// SplitVersionID is the reverse of VersionID.
func SplitVersionID(id string) (metricID string, version int) {
	metricID, number, found := strings.Cut(id, ".")
	if !found {
		return metricID, 1
	}
	version, _ = strconv.Atoi(number) // 0: no version has it
	return metricID, version
}

// Validate checks a new version. Faults: metric_name_invalid, aggregation_unknown, metric_property_unclear,
// metric_filter_too_large, metric_conversion_invalid, metric_carry_invalid.
func (m Metric) Validate() error {
	if len(m.Name) > MaxName || !namePattern.MatchString(m.Name) {
		return fault.InvalidParam("name", "metric_name_invalid",
			"`name` must be 1 to %d characters: letters, digits and _ . : / -, beginning with a letter.", MaxName)
	}
	if states[m.Aggregation] == nil {
		return fault.InvalidParam("aggregation", "aggregation_unknown",
			"%.30q is not an aggregation. Send one of the documented ones, such as `sum`.", string(m.Aggregation))
	}
	if err := m.validateProperties(); err != nil {
		return err
	}
	if m.CarriesOver && (m.Aggregation == Max || m.Aggregation == Last || m.Aggregation == Count) {
		return fault.InvalidParam("carriesOver", "metric_carry_invalid",
			"`carriesOver` needs an aggregation that adds up quantities or keys. See its documentation.")
	}
	return cmp.Or(m.Filter.validate(), m.Conversion.validate())
}

func (m Metric) validateProperties() error {
	switch {
	case m.Aggregation.keyed() != (m.KeyProperty != ""):
		return fault.InvalidParam("keyProperty", "metric_property_unclear",
			"An aggregation by keys needs `keyProperty`. The others have none.")
	case m.Property != "" && (m.Aggregation == Count || m.Aggregation == UniqueCount):
		return fault.InvalidParam("property", "metric_property_unclear",
			"`count` and `unique_count` add no values up. Omit `property`.")
	case len(m.GroupBy) > MaxGroupBy:
		return fault.InvalidParam("groupBy", "metric_property_unclear",
			"A metric is grouped by at most %d properties.", MaxGroupBy)
	}
	seen := map[string]bool{}
	for i, name := range m.GroupBy {
		if name == "" || len(name) > MaxName || seen[name] {
			return fault.InvalidParam(fmt.Sprintf("groupBy[%d]", i), "metric_property_unclear",
				"`groupBy` names each property once.")
		}
		seen[name] = true
	}
	return nil
}

// validate bounds the filter's values, which are compared with every record: metric_filter_too_large.
func (f Filter) validate() error {
	n := 0
	for _, entry := range append([]map[string][]string{f.Include}, f.Exclude...) {
		for _, values := range entry {
			n += max(len(values), 1)
		}
	}
	if n += len(f.Exclude); n > MaxFilterValues {
		return fault.InvalidParam("filter", "metric_filter_too_large",
			"`filter` is too large. Send at most %d values in all.", MaxFilterValues)
	}
	return nil
}

// ErrArchived refuses new records of a metric that is not active.
var ErrArchived = fault.New(fault.Conflict, "metric_archived",
	"The metric is archived and takes no new records. Activate it, or send another metric.").In("metricName")

// Next returns the version that follows m. Faults: metric_version_unchanged, metric_versions_too_many, those of
// Validate, metric_version_incompatible.
func (m Metric) Next(d Definition, now time.Time) (Metric, error) {
	switch {
	case d.says() == m.says():
		return m, fault.New(fault.Conflict, "metric_version_unchanged", "The metric already counts in this way.")
	case m.Version >= MaxVersions:
		return m, fault.New(fault.Conflict, "metric_versions_too_many",
			"A metric has at most %d versions. Create another metric.", MaxVersions)
	}
	next := m
	next.Version, next.Definition, next.VersionAt = m.Version+1, d, now
	return next, cmp.Or(next.Validate(), m.compatible(d))
}

// compatible refuses a version with other rules for accepting records: metric_version_incompatible. The current version
// accepts a record or a correction once, and all versions count it. A correction has the unit of the value that it
// changes, and all versions, which prices may name, must be able to count an accepted record.
func (m Metric) compatible(d Definition) error {
	var changed string
	switch {
	case d.Property != m.Property:
		changed = "property"
	case d.KeyProperty != m.KeyProperty:
		changed = "keyProperty"
	case d.Carries() != m.Carries():
		changed = "carriesOver"
	default:
		return nil
	}
	return fault.InvalidParam(changed, "metric_version_incompatible",
		"All versions of a metric take the same records. `%s` cannot change. Create another metric.", changed)
}

// says returns a text that is equal for definitions that count the same.
func (d Definition) says() string {
	text, _ := json.Marshal(d) // strings, lists and maps of them
	return string(text)
}
