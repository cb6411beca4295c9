package api

import "perennial/api/view"

// The tests of this package read what the whole server answers, by the bare names of the wire shapes.
type (
	Deleted  = view.Deleted
	Metadata = view.Metadata
	Seller   = view.Seller
	TaxID    = view.TaxID
)
