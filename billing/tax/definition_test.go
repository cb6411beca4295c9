package tax_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/tax"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func vat() tax.Definition {
	return tax.Definition{Rate: tax.Rate{ID: "txr_1", Name: "VAT", Percent: money.Whole(19)}}
}

func TestDefinition_Validate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change      func(*tax.Definition)
		code, param string
	}{
		"everywhere, for ever":   {func(*tax.Definition) {}, "", ""},
		"of a region":            {func(d *tax.Definition) { d.Country, d.Region = "US", "CA" }, "", ""},
		"for a time":             {func(d *tax.Definition) { d.ValidFrom, d.ValidUntil = noon, noon.Add(1) }, "", ""},
		"with an end only":       {func(d *tax.Definition) { d.ValidUntil = noon }, "", ""},
		"without a name":         {func(d *tax.Definition) { d.Name = "" }, "tax_name_missing", "name"},
		"region without country": {func(d *tax.Definition) { d.Region = "CA" }, "region_needs_country", "region"},
		"region in small letters": {
			func(d *tax.Definition) { d.Country, d.Region = "US", "ca" }, "region_malformed", "region",
		},
		"region of three": {func(d *tax.Definition) { d.Country, d.Region = "FR", "20R" }, "", ""}, // Corsica
		"long region":     {func(d *tax.Definition) { d.Country, d.Region = "US", "USCA" }, "region_malformed", "region"},
		"without time": {
			func(d *tax.Definition) { d.ValidFrom, d.ValidUntil = noon, noon }, "tax_validity_reversed", "validUntil",
		},
		"too much":      {func(d *tax.Definition) { d.Percent = money.Whole(101) }, "tax_percent_out_of_range", "percent"},
		"of a category": {func(d *tax.Definition) { d.Category = "e-books" }, "", ""},
		"of a category in capitals": {
			func(d *tax.Definition) { d.Category = "Books" }, "tax_category_malformed", "taxCategory",
		},
		"without percent": {func(d *tax.Definition) { d.Percent = money.Decimal{} }, "tax_percent_out_of_range", "percent"},
	} {
		d := vat()
		c.change(&d)
		err := d.Validate()
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, []string{c.code, c.param}, []string{fault.From(err).Code, fault.From(err).Param}, name)
	}
}

func TestHolding(t *testing.T) {
	t.Parallel()
	california, germany := tax.Payer{Country: "US", Region: "CA"}, tax.Payer{Country: "DE"}
	for name, c := range map[string]struct {
		change func(*tax.Definition)
		payer  tax.Payer
		holds  bool
	}{
		"everywhere":                  {func(*tax.Definition) {}, germany, true},
		"everywhere, place not known": {func(*tax.Definition) {}, tax.Payer{}, true},
		"in the country":              {func(d *tax.Definition) { d.Country = "DE" }, germany, true},
		"in another country":          {func(d *tax.Definition) { d.Country = "US" }, germany, false},
		"country not known":           {func(d *tax.Definition) { d.Country = "DE" }, tax.Payer{}, false},
		"in all of the country":       {func(d *tax.Definition) { d.Country = "US" }, california, true},
		"in the region":               {func(d *tax.Definition) { d.Country, d.Region = "US", "CA" }, california, true},
		"in another region":           {func(d *tax.Definition) { d.Country, d.Region = "US", "NY" }, california, false},
		"a region of that name elsewhere": {
			func(d *tax.Definition) { d.Country, d.Region = "IT", "CA" }, california, false,
		},
		"from now on":  {func(d *tax.Definition) { d.ValidFrom = noon }, germany, true},
		"from later":   {func(d *tax.Definition) { d.ValidFrom = noon.Add(1) }, germany, false},
		"until now":    {func(d *tax.Definition) { d.ValidUntil = noon }, germany, false},
		"until later":  {func(d *tax.Definition) { d.ValidUntil = noon.Add(1) }, germany, true},
		"archived":     {func(d *tax.Definition) { d.ArchivedAt = noon }, germany, false},
		"exempt":       {func(*tax.Definition) {}, tax.Payer{Exemption: tax.Exempt}, false},
		"owes it":      {func(*tax.Definition) {}, tax.Payer{Exemption: tax.Reverse}, false},
		"not exempt":   {func(*tax.Definition) {}, tax.Payer{Exemption: ""}, true},
		"taxed":        {func(*tax.Definition) {}, tax.Payer{Exemption: tax.Taxed}, true},
		"no such rate": {func(d *tax.Definition) { d.Country = "ZZ" }, california, false},
	} {
		d := vat()
		c.change(&d)
		rates := tax.Holding([]tax.Definition{d}, c.payer, noon).For("")
		require.Equal(t, c.holds, len(rates) == 1, name)
	}
}

func TestExemptionAndIDs_Validate(t *testing.T) {
	t.Parallel()
	for _, e := range []tax.Exemption{"", tax.Exempt, tax.Reverse, tax.Taxed} {
		require.NoError(t, e.Validate())
	}
	require.ErrorContains(t, tax.Exemption("sometimes").Validate(), "tax_exempt_unknown")
	one := tax.ID{Type: "eu_vat", Value: "DE123456789"}
	long := strings.Repeat("x", 40)
	require.NoError(t, tax.IDs{one, one, one, one, {Type: long, Value: long}}.Validate())
	require.ErrorContains(t, tax.IDs{{Type: long + "x", Value: long}}.Validate(), "tax_id_malformed")
	require.ErrorContains(t, tax.IDs{{Type: long, Value: long + "x"}}.Validate(), "tax_id_malformed")
	require.ErrorContains(t, tax.IDs{{Type: "eu_vat"}}.Validate(), "tax_id_malformed")
	require.ErrorContains(t, tax.IDs{one, one, one, one, one, one}.Validate(), "tax_ids_out_of_range")
}

func TestDefinition_Repeats(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC) }
	quarter, err := money.ParseDecimal("19.25")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		change func(d, other *tax.Definition)
		want   bool
	}{
		"the same":                  {func(_, _ *tax.Definition) {}, true},
		"another name and kind":     {func(d, _ *tax.Definition) { d.Name, d.Inclusive = "Sales tax", true }, true},
		"another percentage":        {func(d, _ *tax.Definition) { d.Percent = quarter }, false},
		"another country":           {func(d, _ *tax.Definition) { d.Country = "CM" }, false},
		"another region":            {func(d, _ *tax.Definition) { d.Region = "CA" }, false},
		"another category":          {func(d, _ *tax.Definition) { d.Category = "books" }, false},
		"the same category":         {func(d, o *tax.Definition) { d.Category, o.Category = "books", "books" }, true},
		"archived":                  {func(d, _ *tax.Definition) { d.ArchivedAt = at(1) }, false},
		"the other archived":        {func(_, o *tax.Definition) { o.ArchivedAt = at(1) }, false},
		"itself":                    {func(d, o *tax.Definition) { d.ID = o.ID }, false},
		"one ends, another begins":  {func(d, o *tax.Definition) { d.ValidUntil, o.ValidFrom = at(5), at(5) }, false},
		"one begins, another ended": {func(d, o *tax.Definition) { d.ValidFrom, o.ValidUntil = at(6), at(5) }, false},
		"one day of both":           {func(d, o *tax.Definition) { d.ValidUntil, o.ValidFrom = at(6), at(5) }, true},
		"one within the other": {func(d, o *tax.Definition) {
			d.ValidFrom, d.ValidUntil, o.ValidFrom, o.ValidUntil = at(3), at(4), at(2), at(9)
		}, true},
		"only one is bounded": {func(d, _ *tax.Definition) { d.ValidFrom, d.ValidUntil = at(3), at(4) }, true},
	} {
		d, other := vat(), vat()
		other.ID = "txr_2"
		c.change(&d, &other)
		require.Equal(t, c.want, d.Repeats(other), name)
		require.Equal(t, c.want, other.Repeats(d), name)
	}
}
