package emits

import (
	"perennial/billing/plan"
	"perennial/service/catalog"
)

// products set the scene of the requests about products.
var products = map[string]func(*stage) func() error{
	"createProduct": func(s *stage) func() error {
		return func() error {
			_, err := s.service.Catalog.CreateProduct(s.ctx, s.by, plan.Product{Name: "Mail"}, nil)
			return err
		}
	},
	"updateProduct": func(s *stage) func() error {
		made, err := s.service.Catalog.CreateProduct(s.ctx, s.by, plan.Product{Name: "Mail"}, nil)
		name := "Post"
		return func() error {
			if err == nil {
				_, err = s.service.Catalog.UpdateProduct(s.ctx, s.by, made.ID, catalog.ProductUpdate{Name: &name}, nil)
			}
			return err
		}
	},
}
