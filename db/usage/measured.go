package usage

import (
	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// measuring makes rows of records what a metric sees. Records often have the same properties, which are read once.
type measuring struct {
	of         usage.Metric
	properties map[string]usage.Properties // by their text
}

// maxKnown bounds the different properties that are remembered: where each record has its own, it helps nothing.
const maxKnown = 1_000

// add appends a row of a subscription as the metric sees it, if it does.
func (m *measuring) add(to []usage.Measured, salt []byte, row dbsqlc.UsageRecordPageRow) ([]usage.Measured, error) {
	record := usage.Record{
		ID: row.ID, Position: row.Position, Metric: m.of.Name, At: row.At, Corrects: core.Value(row.Corrects),
		Salt: salt,
	}
	var err error
	if record.Quantity, err = money.ReadDecimal(row.Quantity); err != nil {
		return to, err
	}
	if record.Properties, err = m.read(row.Properties); err != nil {
		return to, err
	}
	if one, counts := m.of.Measure(record); counts {
		to = append(to, one)
	}
	return to, nil
}

func (m *measuring) read(text []byte) (usage.Properties, error) {
	if known, has := m.properties[string(text)]; has {
		return known, nil
	}
	p, err := propertiesFromDB(text)
	if m.properties == nil {
		m.properties = map[string]usage.Properties{}
	}
	if err == nil && len(m.properties) < maxKnown {
		m.properties[string(text)] = p
	}
	return p, err
}

// measured is add for a row by itself.
func measured(
	to []usage.Measured, of usage.Metric, salt []byte, row dbsqlc.UsageRecordPageRow,
) ([]usage.Measured, error) {
	return (&measuring{of: of}).add(to, salt, row)
}
