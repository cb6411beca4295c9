package audit

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Change is one field that a call changed. Before and After are JSON scalars, and only of fields that Shown lists; nil
// where the value is not shown or was absent.
type Change struct {
	ObjectID string          `json:"objectId,omitempty"` // empty: the object that the entry is about
	Field    string          `json:"field"`              // as the API names it
	Before   json.RawMessage `json:"before,omitempty"`
	After    json.RawMessage `json:"after,omitempty"`
}

// Changes describes the changed fields of an object by their names in the API, with the values of fields that may be
// shown. before and after are the object's structs; a field that they do not have under its name is only named.
func Changes(object string, fields []string, before, after any) []Change {
	changes := make([]Change, len(fields))
	for i, field := range fields {
		changes[i].Field = field
		if Shown(object, field) {
			changes[i].Before, changes[i].After = scalarOf(before, field), scalarOf(after, field)
		}
	}
	return changes
}

// Of returns the changes as changes of an object other than the one that the entry is about.
func Of(objectID string, changes []Change) []Change {
	for i := range changes {
		changes[i].ObjectID = objectID
	}
	return changes
}

// Differing names the fields in which two structs of one type differ, as the API spells names. Fields that no caller
// knows, such as revisions, are left out.
func Differing(before, after any) (names []string) {
	was, is := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range was.NumField() {
		field := was.Type().Field(i)
		if !field.IsExported() || slices.Contains(internal, field.Name) {
			continue
		}
		if !same(was.Field(i).Interface(), is.Field(i).Interface()) {
			names = append(names, camel(field.Name))
		}
	}
	return names
}

// internal are fields of subscriptions and invoices that the rules keep for themselves, or that follow from others.
var internal = []string{
	"Revision", "UpdatedAt", "FinishedAt", "NextAction", "NextActionAt", "NextPeriod", "PeriodIndex", "RenewedIndex",
	"PlanInterval", "RenewedFrom", "RemindedFor", "TrialNoticeAt", "UnproratedIndex", "FreeIndex",
	"PaidElsewhereIndex", "MethodChangedAt", "PaidFor", "EndedDiscounts", "Items", "CollectingInvoiceID", "Collection",
	"Buyer", "Seller",
}

func same(a, b any) bool {
	at, isTime := a.(time.Time)
	if bt, ok := b.(time.Time); ok && isTime {
		return at.Equal(bt)
	}
	return reflect.DeepEqual(a, b)
}

// Given describes the fields of a request's body, a JSON object, with the values of fields that may be shown: the input
// of a creation or a command. A body that is no object describes nothing.
func Given(object string, body []byte) []Change {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	changes := make([]Change, 0, len(fields))
	for field, value := range fields {
		change := Change{Field: field}
		if Shown(object, field) && isScalar(value) {
			change.After = value
		}
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Field, b.Field) })
	return changes
}

// scalarOf is the JSON of a struct's field, by its name in the API; nil where it has none, is empty or is no scalar.
// Times are Unix seconds, as everywhere in the API.
func scalarOf(object any, name string) json.RawMessage {
	v := reflect.Indirect(reflect.ValueOf(object))
	if v.Kind() != reflect.Struct {
		return nil
	}
	field := v.FieldByNameFunc(func(goName string) bool { return camel(goName) == name })
	if !field.IsValid() {
		return nil
	}
	value := field.Interface()
	if at, ok := value.(time.Time); ok {
		if at.IsZero() {
			return nil
		}
		value = at.Unix()
	}
	encoded, err := json.Marshal(value)
	if err != nil || !isScalar(encoded) || string(encoded) == `""` {
		return nil
	}
	return encoded
}

// maxShown bounds a value: a longer one is no code, id, amount or time.
const maxShown = 100

func isScalar(value json.RawMessage) bool {
	return len(value) > 0 && len(value) <= maxShown && value[0] != '{' && value[0] != '[' && string(value) != "null"
}

// camel spells the name of a Go field as the API does: PlanID becomes planId.
func camel(name string) string {
	name = strings.ReplaceAll(name, "ID", "Id")
	return strings.ToLower(name[:1]) + name[1:]
}
