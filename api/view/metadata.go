package view

import (
	"github.com/danielgtaylor/huma/v2"

	"perennial/billing/metadata"
)

// Metadata is a caller's own notes.
type Metadata metadata.Pairs

// UnmarshalJSON keeps numbers as they are written.
func (m *Metadata) UnmarshalJSON(b []byte) error { return (*metadata.Pairs)(m).UnmarshalJSON(b) }

// Schema returns the schema of metadata for the OpenAPI document. metadata.Pairs.Check checks the rules that a schema
// cannot express, or that huma would not report in our words.
func (Metadata) Schema(huma.Registry) *huma.Schema {
	longest := metadata.MaxText
	return &huma.Schema{
		Type: huma.TypeObject, Description: metadataRules,
		AdditionalProperties: &huma.Schema{
			MaxLength: &longest, Extensions: map[string]any{"type": []string{"string", "number", "boolean", "null"}},
		},
		Extensions: map[string]any{"propertyNames": map[string]any{"minLength": 1, "maxLength": metadata.MaxKey}},
	}
}

const metadataRules = "Your own notes: up to 50 keys of at most 40 characters. Values are strings of at most 500 characters, " +
	"numbers written with at most 40 characters, true, false or null, and come back as they were sent."

// RenderMetadata shows metadata as resources do: an empty object rather than null.
func RenderMetadata(m metadata.Pairs) Metadata {
	if m == nil {
		return Metadata{}
	}
	return Metadata(m)
}
