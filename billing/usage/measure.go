package usage

import (
	"encoding/json"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// Measured is a record as one metric sees it.
type Measured struct {
	ID       string
	Position int64 // in the order of receipt
	Corrects string
	At       time.Time
	Value    money.Decimal
	Key      string // a hash of the key, of the aggregations that count keys; empty: the metric has no key property
	Group    Group
}

// Group is the dimension that a record belongs to: the values of the metric's group-by properties in their order, as a
// JSON list. A property that the record does not have is null. Empty: the metric is not grouped.
type Group string

// Values reads the values, nil where the record has no such property.
func (g Group) Values() []*string {
	if g == "" {
		return nil
	}
	var values []*string
	if json.Unmarshal([]byte(g), &values) != nil {
		return nil
	}
	return values
}

func groupOf(names []string, p Properties) Group {
	if len(names) == 0 {
		return ""
	}
	values := make([]*string, len(names))
	for i, name := range names {
		if v, ok := p[name]; ok {
			values[i] = &v
		}
	}
	if group, plain := plainGroup(values); plain {
		return group
	}
	// Signs such as < stay as they are: a group is part of an index, whose entries have a bound.
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(values) // a list of strings
	return Group(strings.TrimSpace(text.String()))
}

// plainGroup is groupOf for values that JSON writes as they are, as nearly all are; plain is false for others.
func plainGroup(values []*string) (group Group, plain bool) {
	text := make([]byte, 0, 64)
	for i, v := range values {
		text = append(text, "[,"[min(i, 1)])
		if v == nil {
			text = append(text, "null"...)
			continue
		}
		for n := range len(*v) {
			if c := (*v)[n]; c < ' ' || c > '~' || c == '"' || c == '\\' {
				return "", false
			}
		}
		text = append(append(append(text, '"'), *v...), '"')
	}
	return Group(append(text, ']')), true
}

// Measure returns what a record means to the metric; false: its filters leave the record out, or it lacks the property
// that the metric counts, which was erased.
func (m Metric) Measure(r Record) (Measured, bool) { return m.See(r.Properties).Measure(r) }

// Seen is what a metric reads in properties of records. Many records have the same ones, which are then read once.
type Seen struct {
	counts bool // filters take them, and they have what the metric counts
	adds   bool // the metric adds up a property
	number bool // that property is a number
	value  money.Decimal
	keyed  bool
	key    string
	group  Group
}

// See reads properties of a record.
func (m Metric) See(p Properties) Seen {
	s := Seen{keyed: m.KeyProperty != "", adds: m.Property != ""}
	if m.missing(p) != "" || !m.Filter.Matches(p) {
		return s
	}
	s.counts, s.group = true, groupOf(m.GroupBy, p)
	if s.keyed {
		s.key = p[m.KeyProperty]
	}
	if s.adds {
		var err error
		s.value, err = money.ParseDecimal(p[m.Property])
		s.number = err == nil
	}
	return s
}

// Measure is Metric.Measure for a record with the properties that were read.
func (s Seen) Measure(r Record) (Measured, bool) {
	byProperty := s.adds && r.Corrects == ""
	if !s.counts || byProperty && !s.number {
		return Measured{}, false
	}
	one := Measured{ID: r.ID, Position: r.Position, Corrects: r.Corrects, At: r.At, Value: r.Quantity, Group: s.group}
	if byProperty {
		one.Value = s.value
	}
	if s.keyed {
		one.Key = keyHash(r.Salt, s.key)
	}
	return one, true
}

// missing returns the name of a property that the metric needs and that these lack; empty: none.
func (m Metric) missing(p Properties) string {
	for _, name := range []string{m.Property, m.KeyProperty} {
		if name != "" && p[name] == "" {
			return name
		}
	}
	return ""
}

// value is what the metric aggregates of a record. Faults, where the record lacks it: usage_property_missing,
// usage_property_invalid.
func (m Metric) value(r Record) (money.Decimal, *fault.Error) {
	if name := m.missing(r.Properties); name != "" {
		return money.Decimal{}, fault.InvalidParam("properties."+name, "usage_property_missing",
			"The metric %q counts the property %q, which the record does not have. Send it.", m.Name, name)
	}
	if m.Property == "" || r.Corrects != "" {
		return r.Quantity, nil
	}
	value, err := money.ParseDecimal(r.Properties[m.Property])
	if err != nil {
		return value, fault.InvalidParam("properties."+m.Property, "usage_property_invalid",
			"The metric %q adds up the property %q, which is no decimal number. Send one such as 12.5.", m.Name, m.Property)
	}
	return value, nil
}

// Effective applies corrections to the records that they correct, which must be among them: what is left are records
// with the quantity that they have now. One that was corrected to nothing is left out, as if it had never come.
func Effective(all []Measured) []Measured {
	corrections := map[string]money.Decimal{}
	for _, m := range all {
		if m.Corrects != "" {
			corrections[m.Corrects] = corrections[m.Corrects].Add(m.Value)
		}
	}
	if len(corrections) == 0 {
		return all
	}
	left := make([]Measured, 0, len(all))
	for _, m := range all {
		if m.Corrects != "" {
			continue
		}
		if by, corrected := corrections[m.ID]; corrected {
			if m.Value = m.Value.Add(by); m.Value.Sign() == 0 {
				continue
			}
		}
		left = append(left, m)
	}
	return left
}
