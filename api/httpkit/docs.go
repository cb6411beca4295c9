package httpkit

import (
	"bytes"
	_ "embed" // the template of the page
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs.html
var docsTemplate string

// docsPage renders the OpenAPI document for people: one page, no scripts, nothing from elsewhere. Paths are shown under
// prefix; server is where the API answers, for the caller who asks. Scripts would need a looser Content-Security-Policy
// on the origin that serves the API.
func docsPage(doc *huma.OpenAPI, problems []Listed, prefix, server string) []byte {
	page := template.Must(template.New("docs").Parse(docsTemplate))
	var out bytes.Buffer
	if err := page.Execute(&out, docsOf(doc, problems, prefix, server)); err != nil {
		panic("httpkit: the documentation page cannot be rendered: " + err.Error()) // it is made of constants
	}
	return out.Bytes()
}

type docs struct {
	Title, Version string
	Server         string // where the API answers, with the prefix
	Paragraphs     []string
	Sections       []docsSection
	Problem        []docsField
	Problems       []Listed
}

type docsSection struct {
	Name, Anchor, Description string
	Operations                []docsOperation
}

type docsOperation struct {
	Anchor, Method, Path, Summary, Description string
	Parameters, Fields, Answer                 []docsField
	Request, Response                          string
	Status                                     string
	Refusals                                   []docsRefusal
}

type docsField struct {
	Name, Type, Description string
	Required                bool
}

type docsRefusal struct{ Status, Why string }

func docsOf(doc *huma.OpenAPI, problems []Listed, prefix, server string) docs {
	d := docs{
		Title: doc.Info.Title, Version: doc.Info.Version, Paragraphs: strings.Split(doc.Info.Description, "\n\n"),
		Server:   server + prefix,
		Problems: problems,
		Problem:  fieldsOf(doc, doc.Components.Schemas.Map()["Problem"], ""),
	}
	for _, tag := range doc.Tags {
		d.Sections = append(d.Sections, docsSection{
			Name: tag.Name, Anchor: anchor(tag.Name), Description: tag.Description,
			Operations: operationsOf(doc, prefix, tag.Name),
		})
	}
	return d
}

// operationsOf lists a tag's operations, shortest path first. The map has no order, so the list is sorted: the page
// must be the same after every start.
func operationsOf(doc *huma.OpenAPI, prefix, tag string) []docsOperation {
	var out []docsOperation
	for path, item := range doc.Paths {
		for method, op := range map[string]*huma.Operation{
			"POST": item.Post, "GET": item.Get, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
		} {
			if op != nil && slices.Contains(op.Tags, tag) {
				out = append(out, operationOf(doc, method, prefix+path, op))
			}
		}
	}
	slices.SortFunc(out, func(a, b docsOperation) int {
		if n := strings.Compare(a.Path, b.Path); n != 0 {
			return n
		}
		return -strings.Compare(a.Method, b.Method) // POST before GET before DELETE
	})
	return out
}

func operationOf(doc *huma.OpenAPI, method, path string, op *huma.Operation) docsOperation {
	out := docsOperation{
		Anchor: op.OperationID, Method: method, Path: path, Summary: op.Summary, Description: op.Description,
	}
	for _, p := range op.Parameters {
		out.Parameters = append(out.Parameters, docsField{
			Name: p.Name, Type: p.In + ", " + typeOf(p.Schema),
			Description: strings.TrimSpace(p.Description + " " + limitsOf(p.Schema)), Required: p.Required,
		})
	}
	if op.RequestBody != nil {
		media := mediaOf(op.RequestBody.Content)
		out.Fields, out.Request = fieldsOf(doc, media.Schema, ""), pretty(media.Example)
	}
	for status, r := range op.Responses {
		if media := mediaOf(r.Content); media != nil && status != strconv.Itoa(http.StatusAccepted) {
			out.Status, out.Answer, out.Response = status, fieldsOf(doc, media.Schema, ""), pretty(media.Example)
		} else {
			out.Refusals = append(out.Refusals, docsRefusal{status, r.Description})
		}
	}
	slices.SortFunc(out.Refusals, func(a, b docsRefusal) int { return strings.Compare(a.Status, b.Status) })
	return out
}

// mediaOf is the one form of a request or a success; nil for a refusal.
func mediaOf(content map[string]*huma.MediaType) *huma.MediaType {
	for name, media := range content {
		if name != ProblemType {
			return media
		}
	}
	return nil
}

// fieldsOf flattens a schema: prices[].amount. A schema that refers to itself would not end; none of ours does.
func fieldsOf(doc *huma.OpenAPI, schema *huma.Schema, prefix string) []docsField {
	var out []docsField
	if schema = resolve(doc, schema); schema == nil {
		return nil
	}
	for _, name := range fieldNames(schema) {
		property := schema.Properties[name]
		described := resolve(doc, property)
		out = append(out, docsField{
			Name: prefix + name, Type: typeOf(described),
			Description: strings.TrimSpace(property.Description + " " + limitsOf(described)),
			Required:    slices.Contains(schema.Required, name),
		})
		switch {
		case described.Type == huma.TypeArray:
			out = append(out, fieldsOf(doc, described.Items, prefix+name+"[].")...)
		case len(described.Properties) > 0:
			out = append(out, fieldsOf(doc, described, prefix+name+".")...)
		}
	}
	return out
}

func resolve(doc *huma.OpenAPI, schema *huma.Schema) *huma.Schema {
	for schema != nil && schema.Ref != "" || schema != nil && len(schema.AnyOf) > 0 {
		if len(schema.AnyOf) > 0 {
			schema = schema.AnyOf[0] // the full schema; the text describes what a publishable key sees
			continue
		}
		schema = doc.Components.Schemas.SchemaFromRef(schema.Ref)
	}
	return schema
}

// fieldNames are the required ones first, then by name. Without an order of its own, a map would list the fields
// differently at each start.
func fieldNames(schema *huma.Schema) []string {
	var rest []string
	for name := range schema.Properties {
		if !slices.Contains(schema.Required, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(slices.Clone(schema.Required), rest...)
}

// typeOf returns the type in a reader's words; a schema without one takes any value.
func typeOf(schema *huma.Schema) string {
	switch {
	case schema == nil || schema.Type == "":
		return "any"
	case schema.Type == huma.TypeArray:
		return "list"
	default:
		return schema.Type
	}
}

// limitsOf returns the limits of a schema beyond its type, in words.
func limitsOf(schema *huma.Schema) string {
	if schema == nil {
		return ""
	}
	var limits []string
	if len(schema.Enum) > 0 {
		values := make([]string, len(schema.Enum))
		for i, v := range schema.Enum {
			values[i] = fmt.Sprint(v)
		}
		limits = append(limits, "One of: "+strings.Join(values, ", ")+".")
	}
	limits = append(limits,
		between(number(schema.Minimum), number(schema.Maximum), ""),
		between(count(schema.MinLength), count(schema.MaxLength), "characters"),
		between(count(schema.MinItems), count(schema.MaxItems), "entries"), between("", count(schema.MaxProperties), "keys"))
	if schema.Default != nil {
		limits = append(limits, fmt.Sprintf("Default: %v.", schema.Default))
	}
	return strings.Join(slices.DeleteFunc(limits, func(s string) bool { return s == "" }), " ")
}

// between returns the sentence about two limits, either of which may be absent.
func between(least, most, of string) string {
	var s string
	switch {
	case least == "" && most == "":
		return ""
	case most == "":
		s = "At least " + least
	case least == "":
		s = "At most " + most
	default:
		s = least + " to " + most
	}
	return strings.TrimSpace(s+" "+of) + "."
}

// number writes a limit in digits: fmt would print the largest amount, 999999999999, as 9.99999999999e+11.
func number(limit *float64) string {
	if limit == nil {
		return ""
	}
	return strconv.FormatFloat(*limit, 'f', -1, 64)
}

func count(limit *int) string {
	if limit == nil {
		return ""
	}
	return strconv.Itoa(*limit)
}

// pretty indents an example as the API itself encodes it, so that the page shows no field that an answer lacks.
func pretty(example any) string {
	if example == nil {
		return ""
	}
	var out bytes.Buffer
	if err := json.Indent(&out, encode(example), "", "  "); err != nil {
		return ""
	}
	return out.String()
}

func anchor(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }
