package api

import "perennial/api/httpkit"

// fieldlessInput is a request about one resource whose path says everything.
type fieldlessInput struct {
	httpkit.ByID
	Body *Empty
}

// Empty is a body without fields.
type Empty struct{}
