package httpkit

import (
	"strings"

	"perennial/api/httpkit/strictjson"
	"perennial/internal/spelling"

	"github.com/danielgtaylor/huma/v2"
)

// siblings returns the names that a request may have at a location of huma's: body.prices[0].x, query.x.
type siblings func(location string) []string

// siblingsOf reads them out of an operation's description.
func siblingsOf(op *huma.Operation, schemas huma.Registry) siblings {
	return func(location string) []string {
		if strings.HasPrefix(location, "query.") {
			var names []string
			for _, p := range op.Parameters {
				if p.In == "query" {
					names = append(names, p.Name)
				}
			}
			return names
		}
		path, inBody := strings.CutPrefix(location, "body.")
		if !inBody || op.RequestBody == nil {
			return nil
		}
		return namesIn(op.RequestBody.Content[JSONType].Schema, schemas, strings.Split(path, "."))
	}
}

// namesIn follows path except for its last part, and returns the names of the object at its end. It follows the schema
// rather than the body, so a path through fields that do not exist has no names.
func namesIn(schema *huma.Schema, schemas huma.Registry, path []string) []string {
	for _, part := range path[:len(path)-1] {
		name, _, inList := strings.Cut(part, "[")
		of := resolved(schema, schemas)
		if schema = of.Properties[name]; schema == nil {
			schema, _ = of.AdditionalProperties.(*huma.Schema) // a name of the caller's own: currencies.EUR
		}
		if schema == nil {
			return nil
		}
		if schema = resolved(schema, schemas); inList {
			schema = schema.Items
		}
	}
	return fieldNames(resolved(schema, schemas))
}

func resolved(schema *huma.Schema, schemas huma.Registry) *huma.Schema {
	for schema != nil && schema.Ref != "" {
		schema = schemas.SchemaFromRef(schema.Ref)
	}
	if schema == nil {
		return &huma.Schema{}
	}
	return schema
}

// unknown says what to send instead of an unknown name: the most similar one, or a list of all.
func unknown(param, what string, names []string) string {
	return unknownIn("request", param, what, names)
}

func unknownIn(where, param, what string, names []string) string {
	is := quoted(param) + " is not a " + what + " of this " + where + ". "
	parent, name := "", param
	if at := strings.LastIndex(param, "."); at >= 0 {
		parent, name = param[:at], param[at+1:]
	}
	if len(names) == 0 {
		return is + "It has none: omit " + quoted(param) + "."
	}
	if meant := nearest(name, names); meant != "" {
		return is + "Did you mean " + quoted(strictjson.Join(parent, meant)) + "?"
	}
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i] = quoted(strictjson.Join(parent, n))
	}
	return is + "Its " + what + "s are " + strings.Join(shown, ", ") + "."
}

// nearest returns the name that was probably meant, or "".
func nearest(name string, names []string) string {
	name, best, least := folded(name), "", 0
	for _, n := range names {
		d := spelling.Distance(name, folded(n))
		// A quarter of the letters may be wrong. With more, the guess would often be a field that was not meant.
		if (best == "" || d < least) && d <= max(1, len(n)/4) {
			best, least = n, d
		}
	}
	return best
}

// folded maps customer_id, CustomerID and customerId to the same text.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
