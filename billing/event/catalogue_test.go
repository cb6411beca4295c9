package event_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/internal/statedoc"
)

// A type without a struct could not be announced; one with two would have two contracts.
func TestCatalogue_HasOneStructOfEachType(t *testing.T) {
	t.Parallel()
	var types []string
	for _, data := range event.Catalogue() {
		types = append(types, string(data.Type()))
	}
	require.ElementsMatch(t, statedoc.Consts(t, "Type"), types)
}

// Field names are a contract with receivers: they change only together with the golden file.
func TestJSON_IsPinned(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i, data := range event.Catalogue() {
		require.IsType(t, data, examples[i])
		for _, field := range fieldsOf(data) {
			require.False(t, reflect.ValueOf(examples[i]).FieldByIndex(field.Index).IsZero(), "%T: set %s", data, field.Name)
		}
		raw, err := json.MarshalIndent(examples[i], "", "  ")
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s %s\n", data.Type(), raw)
	}
	statedoc.File(t, "testdata/events.golden", b.String())
}

func TestEvent_KnowsWhatItIsAbout(t *testing.T) {
	t.Parallel()
	for _, data := range examples {
		raw, err := json.Marshal(data)
		require.NoError(t, err)
		var ids struct{ ID, CustomerID, SubscriptionID string }
		require.NoError(t, json.Unmarshal(raw, &ids))
		if strings.HasPrefix(string(data.Type()), "customer.") {
			ids.CustomerID = ids.ID
		}
		e := event.Event{Data: data}
		require.Equal(t, ids.ID, e.ObjectID(), data.Type())
		require.Equal(t, ids.CustomerID, e.CustomerID(), data.Type())
		require.Equal(t, ids.SubscriptionID, e.SubscriptionID(), data.Type())
	}
}

// fieldsOf lists the fields of an event's data, including those that it shares with its kind.
func fieldsOf(data event.Data) []reflect.StructField {
	var fields []reflect.StructField
	for _, field := range reflect.VisibleFields(reflect.TypeOf(data)) {
		if !field.Anonymous && field.Tag.Get("json") != "-" { // which receivers do not get
			fields = append(fields, field)
		}
	}
	return fields
}
