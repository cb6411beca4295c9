package flutterwave

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// networksLife bounds how long a country's list is used before it is read again, and networksRetry how soon that is
	// repeated where it failed.
	networksLife  = 5 * time.Minute
	networksRetry = 30 * time.Second
	// networksPatience bounds what a list that is slow to come may cost a form.
	networksPatience = 5 * time.Second
)

// networkLists keeps Flutterwave's list of operators of each country. A timer tells the age of each, since only the
// program's entry has a clock.
type networkLists struct {
	group singleflight.Group
	mu    sync.Mutex
	known map[string]*networkList // by ISO code
}

type networkList struct {
	names []string // in lower case
	old   bool
}

func (l *networkLists) get(iso string) (names []string, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if list := l.known[iso]; list != nil {
		return list.names, !list.old
	}
	return nil, false
}

// put keeps what was read, or for a while longer what was known before.
func (l *networkLists) put(iso string, names []string, ok bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	life := networksLife
	if before := l.known[iso]; !ok {
		if life = networksRetry; before != nil {
			names = before.names
		}
	}
	list := &networkList{names: names}
	if l.known == nil {
		l.known = map[string]*networkList{}
	}
	l.known[iso] = list
	time.AfterFunc(life, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		list.old = true
	})
	return names
}

// networksOf returns the operators of a country, in lower case; none: Flutterwave has not told them.
func (f *Flutterwave) networksOf(ctx context.Context, iso string) []string {
	if names, fresh := f.networks.get(iso); fresh {
		return names
	}
	// One reading serves all forms that wait for it, so it must outlive the one that began it.
	read := f.networks.group.DoChan(iso, func() (any, error) {
		if names, fresh := f.networks.get(iso); fresh {
			return names, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), networksPatience)
		defer cancel()
		names, ok := f.readNetworks(ctx, iso)
		return f.networks.put(iso, names, ok), nil
	})
	select {
	case r := <-read:
		names, _ := r.Val.([]string)
		return names
	case <-ctx.Done():
		names, _ := f.networks.get(iso)
		return names
	}
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
