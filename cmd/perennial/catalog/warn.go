package catalog

import (
	"context"
	"fmt"
	"io"
	"slices"

	"perennial/billing/tax"
	"perennial/db"
	"perennial/service/catalog"
	"perennial/service/usecase"
)

// warnUntaxed warns of new plans without a product where tax rates have categories: a plan has the category of its
// product.
func warnUntaxed(
	ctx context.Context, out io.Writer, store *db.Store, by usecase.Caller, changes []catalog.Change,
) error {
	if !slices.ContainsFunc(changes, isUntaxed) {
		return nil
	}
	archived := false // of the others there are at most MaxTaxRates
	rates, _, err := store.Catalog.TaxRates(
		ctx, by.EnvironmentID, db.TaxRateFilter{Archived: &archived}, db.Page{Limit: catalog.MaxTaxRates},
	)
	if err != nil || !slices.ContainsFunc(rates, hasCategory) {
		return err
	}
	return showUntaxed(out, changes)
}

func hasCategory(d tax.Definition) bool { return d.Category != "" }

// isUntaxed reports whether a change makes a plan that has no tax category.
func isUntaxed(c catalog.Change) bool { return c.Was == nil && c.To.ProductID == "" }

func showUntaxed(out io.Writer, changes []catalog.Change) error {
	for _, c := range changes {
		if !isUntaxed(c) {
			continue
		}
		_, err := fmt.Fprintf(out, "warning: plans.%s: a new plan has no product, and so no tax category, and some tax rates are "+
			"for one category alone. Give the plan its `product` before it is sold.\n", c.To.Key)
		if err != nil {
			return err
		}
	}
	return nil
}
