package httpkit

import "github.com/danielgtaylor/huma/v2"

// describeProperties gives properties that say nothing of themselves the words of their name: first those of the schema
// ("Invoice.status"), then those that a name has everywhere ("customerId"). So what all resources share is said once.
func describeProperties(doc *huma.OpenAPI, words map[string]string) {
	for schema, s := range doc.Components.Schemas.Map() {
		for name, p := range s.Properties {
			if p.Description != "" || p.Ref != "" {
				continue
			}
			if p.Description = words[schema+"."+name]; p.Description == "" {
				p.Description = words[name]
			}
		}
	}
}
