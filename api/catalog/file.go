package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/catalog"
	"perennial/billing/fault"
	"perennial/internal/id"
	"perennial/internal/yamldoc"
)

// FilePlan is a plan in a catalogue file: the form of a plan, and the fields that only a file has.
type FilePlan struct {
	// ID adopts a plan that was created without the file.
	ID string `json:"id,omitempty"`
	PlanTerms
	// Product is the key of a product in the file; empty: none. Absent: the plan keeps the product that it has.
	Product *string       `json:"product,omitempty"`
	Active  *bool         `json:"active,omitempty"` // default: true
	Migrate FileMigration `json:"migrate,omitempty"`
}

// FileMigration is a catalogue file's choice for running subscriptions: true, false or preview.
type FileMigration string

// Schema lists them.
func (FileMigration) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Enum: []any{true, false, string(catalog.Preview)}}
	s.PrecomputeMessages()
	return s
}

// UnmarshalJSON reads true and false as well.
func (m *FileMigration) UnmarshalJSON(b []byte) error {
	switch text := strings.Trim(string(b), `"`); text {
	case "false":
		*m = FileMigration(catalog.Keep)
	case "true":
		*m = FileMigration(catalog.AtPeriodEnd)
	default:
		*m = FileMigration(text)
	}
	return nil
}

// File is a catalogue file that was read.
type File struct {
	Plans []catalog.Plan
	Items catalog.Items
	// Warnings name the line and what should be written otherwise.
	Warnings []string
	name     string
	doc      yamldoc.Document
}

// ReadFile reads a catalogue file, in YAML or JSON. Errors name the file, the line and the key; there may be
// several.
func ReadFile(name string, text []byte) (File, error) {
	f := File{name: name}
	doc, err := yamldoc.Parse(text)
	var unreadable *yamldoc.Error
	switch {
	case errors.As(err, &unreadable) && unreadable.Line > 0:
		line := unreadable.Line
		unreadable.Line = 0
		return f, fmt.Errorf("%s:%d: %w", name, line, unreadable)
	case err != nil:
		return f, fmt.Errorf("%s: %w", name, err)
	}
	f.doc = doc
	root, isMapping := doc.Value.(map[string]any)
	plans, hasPlans := root["plans"].(map[string]any)
	if !isMapping || !hasPlans {
		return f, fmt.Errorf("%s:%d: the file must have `plans`, a mapping of keys to plans; `plans: {}` has none",
			name, doc.Line("plans"))
	}
	var wrong []error
	for _, key := range doc.Keys("") {
		if !slices.Contains(sections, key) {
			wrong = append(wrong, fmt.Errorf("%s:%d: %s: a catalogue file has %s and nothing else",
				name, doc.Line(key), key, strings.Join(sections, ", ")))
		}
	}
	shapes := httpkit.NewShapes()
	for _, key := range doc.Keys("plans") {
		p, warnings, faults := catalogPlan(shapes, key, plans[key])
		for _, fault := range faults {
			wrong = append(wrong, f.At(fault.Within(key)))
		}
		for _, w := range warnings {
			path := "plans." + key + "." + w.Param
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s:%d: %s: %s [%s]", name, doc.Line(path), path, w.Message, w.Code))
		}
		f.Plans = append(f.Plans, p)
	}
	return f, errors.Join(append(wrong, f.items(shapes, root)...)...)
}

// At adds the line to a fault that names the key of a plan, or of an object in another section, and the field. Every
// other error stays as it is.
func (f File) At(err error) error {
	var wrong *fault.Error
	if !errors.As(err, &wrong) || !wrong.Refusal() || wrong.Param == "" {
		return err
	}
	path := "plans." + wrong.Param
	var within *catalog.SectionError
	if errors.As(err, &within) {
		path = within.Section + "." + wrong.Param
	}
	return fmt.Errorf("%s:%d: %s: %s [%s]", f.name, f.doc.Line(path), path, wrong.Detail, wrong.Code)
}

// catalogPlan reads one plan of the file.
func catalogPlan(shapes httpkit.Shapes, key string, value any) (catalog.Plan, []view.Warning, []*fault.Error) {
	text, err := json.Marshal(quoted(value))
	if err != nil {
		return catalog.Plan{}, nil, []*fault.Error{fault.From(err)}
	}
	form, wrong := httpkit.Decode[FilePlan](shapes, text)
	if len(wrong) > 0 {
		return catalog.Plan{}, nil, wrong
	}
	p, warnings, err := form.plan()
	if err == nil && form.ID != "" && !id.Is(id.Plan, form.ID) {
		err = fault.InvalidParam("id", "catalog_plan_not_found",
			"%q is not the id of a plan, such as plan_01jcz6dyqx4w9s1c2k7v5h8m3n.", form.ID)
	}
	out := catalog.Plan{Plan: p, Product: form.Product, Migrate: catalog.Migration(form.Migrate)}
	out.Key, out.ID, out.Active = key, form.ID, offered(form.Active)
	if err == nil {
		err = out.Check()
	}
	if err != nil {
		return out, warnings, []*fault.Error{fault.From(err)}
	}
	return out, warnings, nil
}

// quotable are the decimals of prices. The API takes them as texts, since a number is a binary fraction in many
// clients; in a file people write 450.
var quotable = []string{
	"unitAmount", "unitPrice", "packageSize", "packageAmount", "packagePrice", "included", "upTo", "overageFactor",
	"percent", "feeAmount", "minimumAmount", "maximumAmount", "freeAmount", "multiplyBy", "divideBy",
}

// quoted converts the decimals of prices to texts.
func quoted(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = quoted(v[i])
		}
	case map[string]any:
		for _, key := range quotable {
			if n, ok := v[key].(json.Number); ok {
				v[key] = n.String()
			}
		}
		for _, key := range []string{"prices", "tiers", "meteredPrices", "rates", "commitment", "transactions", "conversion"} {
			if part, ok := v[key]; ok {
				v[key] = quoted(part)
			}
		}
		if currencies, ok := v["currencies"].(map[string]any); ok {
			for _, amounts := range currencies {
				quoted(amounts)
			}
		}
	}
	return value
}
