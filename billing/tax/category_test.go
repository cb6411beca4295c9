package tax_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/tax"
)

func TestCategory_Validate(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, tax.Category("4242424242424242").Validate(), "card_number_refused")
	for c, valid := range map[tax.Category]bool{
		"": true, "books": true, "e-books": true, "txcd_10103001": true, "0": true, "a": true,
		tax.Category(strings.Repeat("a", 40)): true, tax.Category(strings.Repeat("a", 41)): false,
		"Books": false, "e books": false, "-books": false, "_": false, "bücher": false, "books\n": false, " ": false,
	} {
		err := c.Validate()
		require.Equal(t, valid, err == nil, "%q", c)
		if !valid {
			require.Equal(t, []string{"tax_category_malformed", "taxCategory"},
				[]string{fault.From(err).Code, fault.From(err).Param})
		}
	}
}

// A German seller of books in Germany and France: the standard rates, the reduced ones of books, and a levy.
func TestHeld_For(t *testing.T) {
	t.Parallel()
	of := func(id string, percent int64, country string, c tax.Category) tax.Definition {
		return tax.Definition{
			Rate: tax.Rate{ID: id, Name: "VAT", Percent: money.Whole(percent)}, Country: country, Category: c,
		}
	}
	all := []tax.Definition{
		of("de", 19, "DE", ""), of("books_de", 7, "DE", "books"), of("levy_de", 1, "DE", "books"), of("fr", 20, "FR", ""),
		of("books_fr", 5, "FR", "books"), of("levy", 2, "", ""), of("free", 0, "", "stamps"),
	}
	all[4].ValidUntil = noon
	german, french := tax.Payer{Country: "DE"}, tax.Payer{Country: "FR"}
	for name, c := range map[string]struct {
		payer    tax.Payer
		category tax.Category
		want     string
	}{
		"no category":                        {german, "", "de levy"},
		"rates of the category":              {german, "books", "books_de levy_de"},
		"a rate of nothing is one":           {german, "stamps", "free"},
		"a category without rates":           {german, "food", "de levy"},
		"the category's rate ended":          {french, "books", "fr levy"},
		"the category's rates are elsewhere": {tax.Payer{Country: "AT"}, "books", "levy"},
		"exempt":                             {tax.Payer{Country: "DE", Exemption: tax.Exempt}, "books", ""},
		"reverse charge":                     {tax.Payer{Country: "DE", Exemption: tax.Reverse}, "books", ""},
		"taxed by hand":                      {tax.Payer{Country: "DE", Exemption: tax.Taxed}, "books", "books_de levy_de"},
		"where the payer is is not known":    {tax.Payer{}, "books", "levy"},
	} {
		require.Equal(t, c.want, ids(tax.Holding(all, c.payer, noon).For(c.category)), name)
	}
	require.Empty(t, tax.Holding(all[1:3], german, noon).For(""), "rates of a category hold for nothing else")
	require.Empty(t, tax.Held(nil).For("books"))
}

func ids(rates []tax.Rate) string {
	var all []string
	for _, r := range rates {
		all = append(all, r.ID)
	}
	return strings.Join(all, " ")
}

var categories = []tax.Category{"", "books", "food"}

// For any rates, a line has those of its own category, or those without one. They are in the order of the definitions,
// and depend on no rate of another category.
func TestHeld_OneSetOfRates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all, payer := anyDefinitions(t), anyPayer(t)
		held := tax.Holding(all, payer, noon)
		for _, c := range categories {
			rates := held.For(c)
			var from []tax.Category
			last := -1
			for _, r := range rates {
				at := slices.IndexFunc(all, func(d tax.Definition) bool { return d.ID == r.ID })
				require.Greater(t, at, last)
				last, from = at, append(from, all[at].Category)
			}
			if from = slices.Compact(from); len(from) > 0 {
				require.Len(t, from, 1)
				require.Contains(t, []tax.Category{c, ""}, from[0])
			}
			matters := slices.DeleteFunc(slices.Clone(all), func(d tax.Definition) bool {
				return d.Category != c && d.Category != ""
			})
			require.Equal(t, rates, tax.Holding(matters, payer, noon).For(c), "rates of other categories")
		}
	})
}

// With one category for all rates and lines, everything is taxed as without categories.
func TestHeld_OneCategoryIsNone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all, payer := anyDefinitions(t), anyPayer(t)
		without, within := slices.Clone(all), slices.Clone(all)
		for i := range all {
			without[i].Category, within[i].Category = "", "books"
		}
		require.Equal(t, tax.Holding(without, payer, noon).For(""), tax.Holding(within, payer, noon).For("books"))
		require.Equal(t, tax.Holding(without, payer, noon).For(""), tax.Holding(without, payer, noon).For("books"))
		require.Empty(t, tax.Holding(within, payer, noon).For(""))
	})
}

func anyDefinitions(t *rapid.T) []tax.Definition {
	all := make([]tax.Definition, rapid.IntRange(0, 8).Draw(t, "rates"))
	for i := range all {
		all[i] = tax.Definition{
			Rate: tax.Rate{
				ID: fmt.Sprintf("txr_%d", i), Name: "VAT", Percent: money.Whole(rapid.Int64Range(0, 100).Draw(t, "percent")),
				Inclusive: rapid.Bool().Draw(t, "inclusive"),
			},
			Category: rapid.SampledFrom(categories).Draw(t, "category"),
			Country:  rapid.SampledFrom([]string{"", "DE", "FR"}).Draw(t, "country"),
		}
		if rapid.IntRange(0, 3).Draw(t, "ended") == 0 {
			all[i].ValidUntil = noon
		}
	}
	return all
}

func anyPayer(t *rapid.T) tax.Payer {
	return tax.Payer{
		Country:   rapid.SampledFrom([]string{"", "DE", "FR"}).Draw(t, "payer's country"),
		Exemption: rapid.SampledFrom([]tax.Exemption{"", "", tax.Exempt, tax.Reverse, tax.Taxed}).Draw(t, "exemption"),
	}
}
