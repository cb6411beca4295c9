package metered

import (
	"encoding/json"
	"strconv"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/usage"
)

// Lot is usage that is rated together: the usage of one rate of a component, or of one value of the dimensions that the
// rate separates.
type Lot struct {
	Rate int         // its index in the component; -1: no rate
	By   usage.Group // values of the rate's By; empty: none
}

// unrated is the rate index of free usage.
const unrated = -1

// Rated reports whether a rate counts the usage; otherwise it is free.
func (l Lot) Rated() bool { return l.Rate != unrated }

// group returns a lot as the group of a state.
func (l Lot) group() usage.Group { return usage.Group(strconv.Itoa(l.Rate) + " " + string(l.By)) }

// lotOf is the reverse of group.
func lotOf(g usage.Group) Lot {
	number, by, _ := strings.Cut(string(g), " ")
	rate, err := strconv.Atoi(number)
	if err != nil {
		rate = unrated
	}
	return Lot{rate, usage.Group(by)}
}

// MaxLots bounds the lots of one component in a count.
const MaxLots = 100_000

// Lots maps dimensions of a metric to the lots of a component, so that their states are merged instead of their
// quantities.
type Lots struct {
	of    Component
	names []string
	known map[usage.Group]usage.Group // lots by dimension
	lots  map[usage.Group]bool
}

// Lots returns the mapping for the component, whose metric is of.
func (c Component) Lots(of usage.Metric) *Lots {
	return &Lots{of: c, names: of.GroupBy, known: map[usage.Group]usage.Group{}, lots: map[usage.Group]bool{}}
}

// Resume adds the lots that were named before.
func (l *Lots) Resume(named []usage.Group) {
	for _, lot := range named {
		l.lots[lot] = true
	}
}

// Of returns the lot of a dimension, for usage.Metric.SeriesBy. Fault: metered_lots_too_many.
func (l *Lots) Of(g usage.Group) (usage.Group, error) {
	if lot, has := l.known[g]; has {
		return lot, nil
	}
	lot := l.of.lot(l.names, g.Values()).group()
	if !l.lots[lot] && len(l.lots) == MaxLots {
		return "", fault.New(fault.Conflict, "metered_lots_too_many",
			"The usage of %q has more than %d different values of the dimensions in `by`. Price it by fewer dimensions.",
			l.of.MetricName, MaxLots)
	}
	l.lots[lot] = true
	if len(l.known) == MaxLots { // one lot may have any number of dimensions
		clear(l.known)
	}
	l.known[g] = lot
	return lot, nil
}

// Undivided reports whether all usage is one lot, whatever its dimensions: the first rate counts every record.
func (c Component) Undivided() bool {
	return len(c.Rates) > 0 && len(c.Rates[0].Where) == 0 && len(c.Rates[0].By) == 0
}

func (c Component) lot(names []string, values []*string) Lot {
	record := map[string]*string{}
	for i, name := range names {
		if i < len(values) {
			record[name] = values[i]
		}
	}
	for i, rate := range c.Rates {
		if !rate.fits(record) {
			continue
		}
		lot := Lot{Rate: i}
		if len(rate.By) > 0 {
			by := make([]*string, len(rate.By))
			for n, name := range rate.By {
				by[n] = record[name]
			}
			text, _ := json.Marshal(by) // a list of strings
			lot.By = usage.Group(text)
		}
		return lot
	}
	return Lot{Rate: unrated}
}

// fits reports whether the rate matches a record. A record without a dimension has none of its values.
func (r Rate) fits(record map[string]*string) bool {
	for name, wanted := range r.Where {
		if value := record[name]; value == nil || *value != wanted {
			return false
		}
	}
	return true
}
