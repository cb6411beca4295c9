package flutterwave

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"perennial/providers/wire"
)

// networkLists keeps Flutterwave's list of operators of each country.
type networkLists struct {
	mu    sync.Mutex
	known map[string]*wire.Copy[[]string] // by ISO code
}

func (l *networkLists) of(iso string) *wire.Copy[[]string] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]*wire.Copy[[]string]{}
	}
	if l.known[iso] == nil {
		l.known[iso] = &wire.Copy[[]string]{}
	}
	return l.known[iso]
}

// networksOf returns the operators of a country, in lower case; none: they could not be read yet.
func (f *Flutterwave) networksOf(ctx context.Context, iso string) []string {
	return f.networks.of(iso).Get(ctx, func(ctx context.Context) ([]string, bool) { return f.readNetworks(ctx, iso) })
}

func (f *Flutterwave) readNetworks(ctx context.Context, iso string) (names []string, ok bool) {
	e, ok := f.get(ctx, "/mobile-networks", url.Values{"country": {iso}}).success()
	var listed []struct {
		Network string `json:"network"`
	}
	if !ok || json.Unmarshal(e.Data, &listed) != nil {
		return nil, false
	}
	for _, l := range listed {
		if name := strings.ToLower(l.Network); validOperator(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), len(names) > 0
}
