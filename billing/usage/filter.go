package usage

import "slices"

// Filter selects records by their properties. The zero filter selects all.
type Filter struct {
	// Include selects records whose property has one of the values, for every listed property.
	Include map[string][]string `json:"include,omitempty"`
	// Exclude leaves out records that match all properties of one entry.
	Exclude []map[string][]string `json:"exclude,omitempty"`
}

// Matches reports whether the filter selects a record with these properties.
func (f Filter) Matches(p Properties) bool {
	if !matches(f.Include, p) {
		return false
	}
	return !slices.ContainsFunc(f.Exclude, func(entry map[string][]string) bool {
		return len(entry) > 0 && matches(entry, p)
	})
}

// matches reports whether all wanted properties have one of their values. A missing property has none.
func matches(wanted map[string][]string, p Properties) bool {
	for name, values := range wanted {
		if value, has := p[name]; !has || !slices.Contains(values, value) {
			return false
		}
	}
	return true
}
