package catalog

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/catalog"
)

// TaxRate is a percentage that invoices are taxed with. It never changes on invoices that were issued: a new percentage
// is a new tax rate.
type TaxRate struct {
	ID          string `json:"id" example:"txr_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Name        string `json:"name" example:"VAT" doc:"Customers see it on invoices."`
	Percent     string `json:"percent" example:"19.25" doc:"A decimal."`
	Inclusive   bool   `json:"inclusive" doc:"Whether the prices contain the tax. Otherwise it is added to them."`
	TaxCategory string `json:"taxCategory,omitempty" example:"books" doc:"The rate holds for what is of this category, in place of the rates without one. Absent: for what is of none, or of a category without a rate for the customer."`
	Country     string `json:"country,omitempty" example:"CM" doc:"ISO 3166-1 alpha-2. Absent: the rate holds everywhere."`
	Region      string `json:"region,omitempty" example:"CA" doc:"The part of an ISO 3166-2 code behind the hyphen. Absent: the rate holds in all of the country."`
	ValidFrom   int64  `json:"validFrom,omitempty" example:"1767225600" doc:"Unix seconds. Invoices that are issued before are not taxed with it. Absent: it has no beginning."`
	ValidUntil  int64  `json:"validUntil,omitempty" doc:"Unix seconds. Invoices that are issued then or later are not taxed with it."`
	Stacks      bool   `json:"stacks" doc:"Whether it may be added to another rate of the same percentage for the same category in the same place."`
	Archived    bool   `json:"archived" doc:"Whether no new invoice is taxed with it."`
	CreatedAt   int64  `json:"createdAt" example:"1763640000" doc:"Unix seconds."`
}

func renderTaxRate(d tax.Definition) TaxRate {
	return TaxRate{
		ID: d.ID, Name: d.Name, Percent: d.Percent.String(), Inclusive: d.Inclusive,
		TaxCategory: string(d.Category), Country: d.Country, Region: d.Region,
		ValidFrom: view.Unix(d.ValidFrom), ValidUntil: view.Unix(d.ValidUntil), Stacks: d.Stacks,
		Archived:  !d.ArchivedAt.IsZero(),
		CreatedAt: view.Unix(d.CreatedAt),
	}
}

type createTaxRateInput struct {
	Body TaxRateForm
}

// TaxRateForm creates a tax rate.
type TaxRateForm struct {
	Name        string `json:"name" minLength:"1" maxLength:"100" example:"VAT" doc:"Customers see it on invoices."`
	Percent     string `json:"percent" minLength:"1" maxLength:"20" example:"19.25" doc:"A decimal, 0 to 100."`
	Inclusive   bool   `json:"inclusive,omitempty" doc:"true: the prices contain the tax. false: it is added to them."`
	TaxCategory string `json:"taxCategory,omitempty" maxLength:"40" example:"books" doc:"The tax category of products, or of lines of manual invoices, that the rate is for: it takes the place of the rates without one there. Default: none, so that it holds for all that has no rate of its own category."`
	Country     string `json:"country,omitempty" maxLength:"2" example:"CM" doc:"ISO 3166-1 alpha-2. Absent: the rate holds everywhere."`
	Region      string `json:"region,omitempty" maxLength:"3" example:"CA" doc:"The part of an ISO 3166-2 code behind the hyphen, with its country."`
	ValidFrom   int64  `json:"validFrom,omitempty" minimum:"1" maximum:"253402300799" example:"1767225600" doc:"Unix seconds. Default: without beginning, so that invoices on a test clock in the past are taxed too."`
	ValidUntil  int64  `json:"validUntil,omitempty" minimum:"1" maximum:"253402300799" doc:"Unix seconds, exclusive. Default: without end."`
	Stacks      bool   `json:"stacks,omitempty" doc:"true: it is added to other rates of the same percentage for the same category in the same place. false: where there is one at the same time, the rate is refused with tax_rate_repeated."`
}

// definition returns the tax rate of the form.
func (f TaxRateForm) definition() (tax.Definition, error) {
	percent, err := money.ParseDecimal(f.Percent)
	if err != nil { // its fault describes the form of a decimal
		return tax.Definition{}, tax.Rate{}.Validate()
	}
	return tax.Definition{
		Rate:    tax.Rate{Name: f.Name, Percent: percent, Inclusive: f.Inclusive},
		Country: f.Country, Region: f.Region, ValidFrom: view.Instant(f.ValidFrom), ValidUntil: view.Instant(f.ValidUntil),
		Stacks: f.Stacks, Category: tax.Category(f.TaxCategory),
	}, nil
}

func madeTaxRate(d tax.Definition) httpkit.Made[TaxRate] {
	return httpkit.Made[TaxRate]{Resource: renderTaxRate(d)}
}

func (h *Handler) createTaxRate(
	ctx context.Context, c *httpkit.Call, in *createTaxRateInput,
) (*httpkit.Reply[TaxRate], error) {
	form, err := in.Body.definition()
	if err != nil {
		return nil, err
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, madeTaxRate,
		func(keep func(*db.Tx, tax.Definition) error) error {
			_, err := h.service.CreateTaxRate(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) getTaxRate(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[TaxRate], error) {
	return httpkit.OK(renderTaxRate(httpkit.Resource[tax.Definition](c))), nil
}

type listTaxRatesInput struct {
	httpkit.Page
	Archived string `query:"archived" enum:"true,false" doc:"true: only archived tax rates. false: only the others."`
}

func (h *Handler) listTaxRates(
	ctx context.Context, c *httpkit.Call, in *listTaxRatesInput,
) (*httpkit.Reply[httpkit.List[TaxRate]], error) {
	page, err := in.DB(id.TaxRate)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Catalog.TaxRates(ctx, c.EnvironmentID,
		db.TaxRateFilter{Archived: view.Chosen(in.Archived)}, page)
	return httpkit.ListOf(rows, more, err, renderTaxRate)
}

type updateTaxRateInput struct {
	httpkit.ByID
	Body TaxRateChange
}

// TaxRateChange changes the fields that are sent and leaves the others. It does not change invoices that were issued.
type TaxRateChange struct {
	Name     *string `json:"name,omitempty" minLength:"1" maxLength:"100" example:"VAT" doc:"New invoices show this name."`
	Archived *bool   `json:"archived,omitempty" doc:"true: no new invoice is taxed with it. false: they are again."`
}

func (h *Handler) updateTaxRate(
	ctx context.Context, c *httpkit.Call, in *updateTaxRateInput,
) (*httpkit.Reply[TaxRate], error) {
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, madeTaxRate,
		func(keep func(*db.Tx, tax.Definition) error) error {
			_, err := h.service.UpdateTaxRate(ctx, usecase.Caller(c), in.ID, catalog.TaxRateUpdate(in.Body), keep)
			return err
		})
}

// taxRateOperations has no deletion: invoices name their rates for as long as they are kept.
func (h *Handler) taxRateOperations() {
	example := TaxRate{
		ID: "txr_01jcz6dyqx4w9s1c2k7v5h8m3n", Name: "VAT", Percent: "19.25", Country: "CM", ValidFrom: 1767225600,
		CreatedAt: 1763640000,
	}
	retired, yes := example, true
	retired.Archived = true
	load := httpkit.LoadByID(h.kit, id.TaxRate, db.ErrTaxRateNotFound, h.store.Catalog.TaxRateWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createTaxRate", Method: http.MethodPost, Path: "/tax-rates", Tag: "Taxes", Summary: "Create a tax rate",
		Description: "Invoices that are issued from now on are taxed with every rate that holds where the customer is: " +
			"everywhere, in the customer's country, and in its region there. Several rates add; a second one of the same " +
			"percentage, category, country, region and time must say so with `stacks`. Where a rate with the `taxCategory` of a " +
			"line holds, the line has the rates of its category, and none of those without one. Taxes count after " +
			"discounts and before credit. A customer who is exempt, or for whom the charge is reversed, is not taxed.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: example,
		Request: TaxRateForm{Name: "VAT", Percent: "19.25", Country: "CM", ValidFrom: 1767225600},
	}, h.createTaxRate)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getTaxRate", Method: http.MethodGet, Path: "/tax-rates/{id}", Tag: "Taxes", Summary: "Get a tax rate",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getTaxRate)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listTaxRates", Method: http.MethodGet, Path: "/tax-rates", Tag: "Taxes", Summary: "List tax rates",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[TaxRate]{Data: []TaxRate{example}},
	}, h.listTaxRates)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateTaxRate", Method: http.MethodPatch, Path: "/tax-rates/{id}", Tag: "Taxes",
		Summary: "Rename or archive a tax rate",
		Description: "Invoices keep the taxes that they were issued with. For another percentage, place or category, archive the " +
			"rate and create a new one, or let one end when the other begins.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Request: TaxRateChange{Archived: &yes},
		Response: retired,
	}, h.updateTaxRate)
}
