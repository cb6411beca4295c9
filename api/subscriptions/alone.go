package subscriptions

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"perennial/billing/fault"
)

// alone refuses a form that has other fields than one and those that are possible beside it, and names them. Fault:
// fields_exclusive.
func alone(form any, field string, beside ...string) error {
	encoded, err := json.Marshal(form)
	if err != nil {
		return fmt.Errorf("encode a form: %w", err)
	}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &sent); err != nil {
		return fmt.Errorf("read an encoded form: %w", err)
	}
	var others []string
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if name != field && !slices.Contains(beside, name) {
			others = append(others, "`"+name+"`")
		}
	}
	if len(others) == 0 {
		return nil
	}
	possible := "`metadata`"
	for _, name := range slices.Backward(beside) {
		possible = "`" + name + "` and " + strings.Replace(possible, " and ", ", ", 1)
	}
	return fault.InvalidParam(field, "fields_exclusive",
		"Send `%s` without %s. Of the fields that change a subscription, only %s can be sent with it.",
		field, strings.Join(others, ", "), possible)
}
