package usage

import (
	"encoding/json"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// Measured is a record with the values that one metric uses.
type Measured struct {
	ID       string
	Position int64 // in the order of receipt
	Corrects string
	At       time.Time
	Value    money.Decimal
	Key      string // a hash of the key, for aggregations that count keys; empty: the metric has no key property
	Group    Group
}

// Group is the dimension of a record: the values of the metric's group-by properties in their order, as a JSON list. A
// missing property is null. Empty: the metric has no groups.
type Group string

// Values returns the values, nil for a missing property.
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
	// Signs such as < are not escaped: a group is part of an index, whose entries are bounded.
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(values) // a list of strings
	return Group(strings.TrimSpace(text.String()))
}

// plainGroup is groupOf for values that need no escaping, as most do; plain is false for others.
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

// Measure returns the values of a record for the metric; false: its filters exclude the record, or the counted property
// was erased.
func (m Metric) Measure(r Record) (Measured, bool) { return m.See(r.Properties).Measure(r) }

// Seen has the values of a record's properties for a metric. Many records have equal properties, which are then read
// once.
type Seen struct {
	counts bool // the filters select them, and the metric's properties are present
	adds   bool // the metric adds up a property
	number bool // that property is a number
	value  money.Decimal
	keyed  bool
	key    string
	group  Group
}

// See returns the values of a record's properties.
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

// Measure is Metric.Measure for a record with these properties.
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

// missing returns the name of a required property that is missing; empty: none.
func (m Metric) missing(p Properties) string {
	for _, name := range []string{m.Property, m.KeyProperty} {
		if name != "" && p[name] == "" {
			return name
		}
	}
	return ""
}

// value returns the aggregated value of a record. Faults, if the record lacks it: usage_property_missing,
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

// Effective applies corrections to their records, which must be in the list. It returns records with their corrected
// quantities, and leaves out fully reversed ones, as if they had never come.
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
