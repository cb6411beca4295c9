package moving

import "perennial/billing/event"

// Endpoint is a record of a webhook endpoint, without its secret.
type Endpoint struct {
	ID           string      `json:"id"` // external
	URL          string      `json:"url"`
	Description  string      `json:"description,omitempty"`
	Events       []string    `json:"events"` // exact types, or patterns
	PayloadShape event.Shape `json:"payloadShape,omitempty"`
}
