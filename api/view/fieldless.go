package view

import "perennial/api/httpkit"

// Deleted is the response to a DELETE.
type Deleted struct {
	ID      string `json:"id" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Deleted bool   `json:"deleted"`
}

// FieldlessInput is a request about one resource whose path says everything.
type FieldlessInput struct {
	httpkit.ByID
	Body *Empty
}

// Empty is a body without fields.
type Empty struct{}
