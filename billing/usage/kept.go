package usage

import (
	"encoding/json"
	"fmt"
)

// keptTally is the saved progress of a Tally.
type keptTally struct {
	Within []map[Group]json.RawMessage `json:"within"`
	Before []map[Group]json.RawMessage `json:"before"`
}

// States returns the number of states of the tally, which need memory and storage.
func (t *Tally) States() (n int) {
	for i := range t.within {
		n += len(t.within[i]) + len(t.before[i])
	}
	return n
}

// Keep returns the progress of the tally, so that another one of the same metric and periods can continue.
func (t *Tally) Keep() ([]byte, error) {
	return json.Marshal(struct {
		Within []map[Group]State `json:"within"`
		Before []map[Group]State `json:"before"`
	}{t.within, t.before})
}

// Resume replaces the progress of the tally by the one that Keep returned, and returns its groups.
func (t *Tally) Resume(kept []byte) ([]Group, error) {
	var k keptTally
	if err := json.Unmarshal(kept, &k); err != nil {
		return nil, err
	}
	var groups []Group
	read := func(into []map[Group]State, from []map[Group]json.RawMessage) error {
		if len(from) != len(into) {
			return fmt.Errorf("usage: a count of %d periods cannot go on with one of %d", len(into), len(from))
		}
		for i := range into {
			clear(into[i])
			for group, text := range from[i] {
				state, err := t.of.Aggregation.Read(text)
				if err != nil {
					return err
				}
				into[i][group], groups = state, append(groups, group)
			}
		}
		return nil
	}
	if err := read(t.within, k.Within); err != nil {
		return nil, err
	}
	return groups, read(t.before, k.Before)
}
