package view

import "github.com/danielgtaylor/huma/v2"

// Number is a decimal number as it is written in JSON. A float64 would lose digits.
type Number string

// UnmarshalJSON keeps the digits.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number(b)
	return nil
}

// MarshalJSON writes the digits.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// Schema returns the schema of a number for the OpenAPI document.
func (Number) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }
