package usage

import "slices"

// Filter chooses records by their properties. The zero filter takes all.
type Filter struct {
	// Include takes records whose property has one of the values, for every property listed.
	Include map[string][]string `json:"include,omitempty"`
	// Exclude leaves out records that match all properties of one entry.
	Exclude []map[string][]string `json:"exclude,omitempty"`
}

// Matches reports whether the filter takes a record with these properties.
func (f Filter) Matches(p Properties) bool {
	if !matches(f.Include, p) {
		return false
	}
	return !slices.ContainsFunc(f.Exclude, func(entry map[string][]string) bool {
		return len(entry) > 0 && matches(entry, p)
	})
}

// matches: a record without the property has none of its values.
func matches(wanted map[string][]string, p Properties) bool {
	for name, values := range wanted {
		if value, has := p[name]; !has || !slices.Contains(values, value) {
			return false
		}
	}
	return true
}
