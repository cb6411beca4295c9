package catalog

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/catalog"
)

// Product groups plans: it is sold at different prices and intervals.
type Product struct {
	ID          string        `json:"id" example:"prod_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Name        string        `json:"name" example:"Pro" doc:"The name of what is sold."`
	Description string        `json:"description,omitempty" example:"Everything for teams." doc:"One line about it."`
	TaxCategory string        `json:"taxCategory,omitempty" example:"books" doc:"The tax category of what its plans and add-ons bill. Absent: none."`
	Active      bool          `json:"active" doc:"Whether the product is offered. Its plans are archived by themselves."`
	Metadata    view.Metadata `json:"metadata"`
	CreatedAt   int64         `json:"createdAt" example:"1763640000" doc:"Unix seconds."`
}

func renderProduct(p plan.Product) Product {
	return Product{
		ID: p.ID, Name: p.Name, Description: p.Description, TaxCategory: string(p.TaxCategory), Active: p.Active,
		Metadata: view.RenderMetadata(p.Metadata), CreatedAt: view.Unix(p.CreatedAt),
	}
}

type createProductInput struct {
	Body ProductForm
}

// ProductForm creates a product.
type ProductForm struct {
	Name        string        `json:"name" minLength:"1" maxLength:"200" example:"Pro" doc:"The name of what is sold."`
	Description string        `json:"description,omitempty" maxLength:"1000" example:"Everything for teams." doc:"One line."`
	TaxCategory string        `json:"taxCategory,omitempty" maxLength:"40" example:"books" doc:"A class of things that are taxed alike, as you name it: lower-case letters, digits, _ and -. Its plans and add-ons are taxed with the tax rates of this category, or, where none of them holds for the customer, with those without one. Default: none."`
	Metadata    view.Metadata `json:"metadata,omitempty" maxProperties:"50"`
}

func madeProduct(p plan.Product) httpkit.Made[Product] {
	return httpkit.Made[Product]{Resource: renderProduct(p)}
}

func (h *Handler) createProduct(
	ctx context.Context, c *httpkit.Call, in *createProductInput,
) (*httpkit.Reply[Product], error) {
	form := plan.Product{
		Name: in.Body.Name, Description: in.Body.Description, TaxCategory: tax.Category(in.Body.TaxCategory),
		Metadata: metadata.Pairs(in.Body.Metadata),
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, madeProduct,
		func(keep func(*db.Tx, plan.Product) error) error {
			_, err := h.service.CreateProduct(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) getProduct(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Product], error) {
	return httpkit.OK(renderProduct(httpkit.Resource[plan.Product](c))), nil
}

type listProductsInput struct {
	httpkit.Page
	Active string `query:"active" enum:"true,false" doc:"true: only active products. false: only archived products."`
}

func (h *Handler) listProducts(
	ctx context.Context, c *httpkit.Call, in *listProductsInput,
) (*httpkit.Reply[httpkit.List[Product]], error) {
	page, err := in.DB(id.Product)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Catalog.Products(ctx, c.EnvironmentID, db.ProductFilter{Active: view.Chosen(in.Active)},
		page)
	return httpkit.ListOf(rows, more, err, renderProduct)
}

type updateProductInput struct {
	httpkit.ByID
	Body ProductChange
}

// ProductChange changes the fields that are sent and leaves the others.
type ProductChange struct {
	Active      *bool          `json:"active,omitempty" doc:"false: archives the product, not its plans. true: publishes it again."`
	Name        *string        `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Pro" doc:"The name of what is sold."`
	Description *string        `json:"description,omitempty" maxLength:"1000" example:"Everything for teams." doc:"Empty: none."`
	TaxCategory *string        `json:"taxCategory,omitempty" maxLength:"40" example:"books" doc:"Counts for what is billed from now on, also of subscriptions that exist. Invoices, and lines that wait for one, keep what they were billed with. Empty: none."`
	Metadata    *view.Metadata `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata."`
}

func (h *Handler) updateProduct(
	ctx context.Context, c *httpkit.Call, in *updateProductInput,
) (*httpkit.Reply[Product], error) {
	update := catalog.ProductUpdate{
		Active: in.Body.Active, Name: in.Body.Name, Description: in.Body.Description,
		TaxCategory: (*tax.Category)(in.Body.TaxCategory), Metadata: (*metadata.Pairs)(in.Body.Metadata),
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, madeProduct,
		func(keep func(*db.Tx, plan.Product) error) error {
			_, err := h.service.UpdateProduct(ctx, usecase.Caller(c), in.ID, update, keep)
			return err
		})
}

// productOperations has no deletion: plans name their product for as long as they are kept.
func (h *Handler) productOperations() {
	example := Product{
		ID: "prod_01jcz6dyqx4w9s1c2k7v5h8m3n", Name: "Pro", Description: "Everything for teams.", TaxCategory: "saas",
		Active: true, Metadata: view.Metadata{"tier": 2}, CreatedAt: 1763640000,
	}
	retired, off := example, false
	retired.Active = false
	load := httpkit.LoadByID(h.kit, id.Product, db.ErrProductNotFound, h.store.Catalog.ProductWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createProduct", Method: http.MethodPost, Path: "/products", Tag: "Plans", Summary: "Create a product",
		Description: "A product groups plans: what is sold, whatever the price and the interval. Plans name it in productId, " +
			"and are taxed by its taxCategory.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: example,
		Request: ProductForm{Name: "Pro", Description: "Everything for teams.", TaxCategory: "saas", Metadata: example.Metadata},
	}, h.createProduct)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getProduct", Method: http.MethodGet, Path: "/products/{id}", Tag: "Plans", Summary: "Get a product",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getProduct)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listProducts", Method: http.MethodGet, Path: "/products", Tag: "Plans", Summary: "List products",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[Product]{Data: []Product{example}},
	}, h.listProducts)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateProduct", Method: http.MethodPatch, Path: "/products/{id}", Tag: "Plans",
		Summary:     "Update or archive a product",
		Description: "active: false archives the product. Its plans stay as they are: archive each that is no longer offered.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Load: load, Request: ProductChange{Active: &off},
		Response: retired,
	}, h.updateProduct)
}
