package usage

import (
	"slices"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// measuring converts rows of records for a metric. Records often have equal properties, which it decodes once.
type measuring struct {
	of    usage.Metric
	known map[string]usage.Seen // by the text of the properties
}

func measure(of usage.Metric) *measuring { return &measuring{of, map[string]usage.Seen{}} }

// maxKnown bounds the cache of properties, which is useless if each record has its own.
const maxKnown = 1_000

// add appends a subscription's row with the metric's values, unless the metric leaves it out.
func (m *measuring) add(to []usage.Measured, salt []byte, row *dbsqlc.UsageRecordPageRow) ([]usage.Measured, error) {
	quantity, err := money.ReadDecimal(row.Quantity)
	if err != nil {
		return to, err
	}
	seen, known := m.known[string(row.Properties)]
	if !known {
		properties, err := propertiesFromDB(row.Properties)
		if err != nil {
			return to, err
		}
		if seen = m.of.See(properties); len(m.known) < maxKnown {
			m.known[string(row.Properties)] = seen
		}
	}
	one, counts := seen.Measure(usage.Record{
		ID: row.ID, Position: row.Position, At: row.At, Corrects: core.Value(row.Corrects), Quantity: quantity, Salt: salt,
	})
	if counts {
		to = append(to, one)
	}
	return to, nil
}

// page appends rows of a page of a subscription.
func (m *measuring) page(
	to []usage.Measured, salt []byte, rows []dbsqlc.UsageRecordListRow,
) (_ []usage.Measured, err error) {
	to = slices.Grow(to, len(rows))
	for i := range rows {
		row := &rows[i]
		to, err = m.add(to, salt, &dbsqlc.UsageRecordPageRow{
			ID: row.ID, Corrects: row.Corrects, At: row.At, Quantity: row.Quantity, Properties: row.Properties,
		})
		if err != nil {
			return to, err
		}
	}
	return to, nil
}
