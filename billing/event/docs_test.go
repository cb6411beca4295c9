package event_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/internal/statedoc"
)

const introduction = `# Events

What Perennial announces, written by ` + "`make generate`" + ` from ` + "`billing/event`" + `. The same as JSON Schema (2020-12):
[events.schema.json](events.schema.json). Ignore fields and types that you do not know: new ones are not a breaking change.
Amounts are integers in minor units, times are Unix seconds. On a test clock times are the customer's.

An event is written in the transaction of the change that it announces. ` + "`sequence`" + ` counts the events of a subscription from
1, ` + "`customerSequence`" + ` those of a customer, both without a gap: they tell the order when deliveries arrive out of it. Two events
of one type about one object never have the same timestamp: the later one's is moved on by a second.

## Which operation emits what

Each row is one transaction, and its events are in order. What an operation sets off, such as the payment of the invoice that
it issues, is a row of its own. Requests have their operationId in [openapi.json](openapi.json), timers the subscription's
` + "`nextAction`" + ` or what else is due, and answers of a provider the outcome that was recorded.
`

func TestPage_IsFresh(t *testing.T) {
	t.Parallel()
	comments := statedoc.Comments(t)
	var b strings.Builder
	b.WriteString(introduction)
	for _, cause := range event.Causes() {
		b.WriteString("\n" + statedoc.Table([]string{string(cause), "when", "events"}, emissions(cause)))
	}
	for i, data := range event.Catalogue() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\nEmitted by %s.\n\n", data.Type(), when(t, comments, data), emitters(data.Type()))
		b.WriteString(statedoc.Table([]string{"field", "type", "meaning"}, rows(t, "", fieldsOf(data))))
		raw, err := json.MarshalIndent(examples[i], "", "  ")
		require.NoError(t, err)
		fmt.Fprintf(&b, "\n```json\n%s\n```\n", raw)
	}
	statedoc.File(t, "../../docs/events.md", b.String())
}

func TestSchema_IsFreshAndAcceptsEachType(t *testing.T) {
	t.Parallel()
	comments := statedoc.Comments(t)
	registry := huma.NewMapRegistry("#/$defs/", huma.DefaultSchemaNamer)
	var kinds []any
	for i, data := range event.Catalogue() {
		ref := registry.Schema(reflect.TypeOf(data), true, "")
		schema := registry.SchemaFromRef(ref.Ref)
		schema.Description = when(t, comments, data)
		schema.Examples = []any{examples[i]}
		kinds = append(kinds, map[string]any{
			"title": data.Type(), "type": "object", "required": []string{"type", "data"},
			"properties": map[string]any{"type": map[string]any{"const": data.Type()}, "data": ref},
		})
		raw, err := json.Marshal(examples[i])
		require.NoError(t, err)
		var example any
		require.NoError(t, json.Unmarshal(raw, &example))
		var found huma.ValidateResult
		huma.Validate(registry, schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, example, &found)
		require.Empty(t, found.Errors, data.Type())
	}
	for _, schema := range registry.Map() {
		schema.AdditionalProperties = nil // receivers must accept fields that come later
	}
	doc, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Events of Perennial", "oneOf": kinds,
		"$defs": registry.Map(),
	}, "", "  ")
	require.NoError(t, err)
	statedoc.File(t, "../../docs/events.schema.json", string(doc)+"\n")
}

// emissions are the rows of the operations that a cause sets off.
func emissions(cause event.Cause) (table [][]string) {
	for _, o := range event.Operations() {
		if o.Cause != cause {
			continue
		}
		types := []string{"none"}
		if len(o.Emits) > 0 {
			types = nil
		}
		for _, e := range o.Emits {
			types = append(types, fmt.Sprintf("[%s](#%s)", e, strings.ReplaceAll(string(e), ".", "")))
		}
		table = append(table, []string{quoted(o.Name), o.When, strings.Join(types, ", ")})
	}
	return table
}

// emitters names the operations that emit a type, each once.
func emitters(of event.Type) string {
	var names []string
	for _, o := range event.Operations() {
		if name := quoted(o.Name); slices.Contains(o.Emits, of) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// quoted returns a name as code, and any other text unchanged.
func quoted(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	return "`" + name + "`"
}

// units matches the units that the description of a number must have.
var units = regexp.MustCompile(`Unix seconds|minor units|^Counts |^How many `)

// when is the doc comment of an event's struct: a sentence that says when it is announced.
func when(t *testing.T, comments map[string]string, data event.Data) string {
	t.Helper()
	_, text, ok := strings.Cut(comments[reflect.TypeOf(data).Name()], " means that ")
	require.True(t, ok, "the doc comment of %T says when: \"Name means that this happened.\"", data)
	return strings.ToUpper(text[:1]) + text[1:]
}

func rows(t *testing.T, prefix string, fields []reflect.StructField) [][]string {
	t.Helper()
	var table [][]string
	for _, field := range fields {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		doc := field.Tag.Get("doc")
		require.NotEmpty(t, doc, "%s%s has no doc tag", prefix, name)
		if kindOf(field.Type) == "integer" {
			require.Regexp(t, units, doc, "%s%s has no unit", prefix, name)
		}
		if options == "omitempty" {
			doc += " Left out where there is none."
		}
		table = append(table, []string{"`" + prefix + name + "`", kindOf(field.Type), doc})
		if field.Type.Kind() == reflect.Struct {
			table = append(table, rows(t, name+".", reflect.VisibleFields(field.Type))...)
		}
	}
	return table
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "array of " + kindOf(t.Elem()) + "s"
	case reflect.Struct:
		return "object"
	case reflect.Int, reflect.Int64:
		return "integer"
	default:
		return t.Kind().String()
	}
}
