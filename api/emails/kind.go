package emails

import (
	"github.com/danielgtaylor/huma/v2"

	"perennial/billing/email"
)

// Schema returns the schema for the OpenAPI document: the kinds that the rules know.
func (Kind) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Examples: []any{string(email.InvoiceIssued)}}
	for _, k := range email.Kinds() {
		s.Enum = append(s.Enum, string(k))
	}
	s.PrecomputeMessages() // as for webhooks.EventPattern
	return s
}
