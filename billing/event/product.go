package event

// The types about products.
const (
	TypeProductCreated Type = "product.created"
	TypeProductUpdated Type = "product.updated"
)

// ProductCreated means that plans may belong to a product.
type ProductCreated struct {
	ID string `json:"id" doc:"The product."`
}

// ProductUpdated means that a product was renamed, described otherwise, archived or published again.
type ProductUpdated struct {
	ID      string   `json:"id" doc:"The product."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

func (e ProductCreated) about() about { return about{objectID: e.ID} }
func (e ProductUpdated) about() about { return about{objectID: e.ID} }

// Type implements Data.
func (ProductCreated) Type() Type { return TypeProductCreated }

// Type implements Data.
func (ProductUpdated) Type() Type { return TypeProductUpdated }
