package taxid

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
)

// examples are all examples of the tables, by type.
func examples() map[string][]string {
	all := map[string][]string{}
	for _, m := range members {
		all[EUVAT] = append(all[EUVAT], m.example)
	}
	for name, k := range kinds {
		all[name] = append(all[name], k.example)
	}
	return all
}

func TestRead_ExamplesAreRight(t *testing.T) {
	t.Parallel()
	for name, values := range examples() {
		for _, value := range values {
			read := Read(name, value)
			require.Equal(t, Right, read.Verdict, value)
			require.Len(t, read.Country, 2, value)
		}
	}
}

// These are numbers of which their owners or authorities tell, and of the kinds that no example of a table has.
func TestRead_KnownNumbers(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]Reading{
		"eu_vat NL123456789B13":     {Verdict: Right, Country: "NL"}, // of a person, since 2020
		"eu_vat IE6433435OA":        {Verdict: Right, Country: "IE"}, // since 2013
		"eu_vat IE8D79739I":         {Verdict: Right, Country: "IE"}, // before 1991
		"eu_vat FRK7399859412":      {Verdict: Right, Country: "FR"}, // with a key of letters
		"eu_vat FR4Z123456782":      {Verdict: Right, Country: "FR"},
		"eu_vat ES54362315K":        {Verdict: Right, Country: "ES"}, // of a citizen
		"eu_vat ESX2482300W":        {Verdict: Right, Country: "ES"}, // of a foreigner
		"eu_vat CZ640903926":        {Verdict: Right, Country: "CZ"}, // of a person
		"eu_vat BG7523169263":       {Verdict: Right, Country: "BG"},
		"eu_vat LT100001919017":     {Verdict: Right, Country: "LT"},
		"eu_vat LV16117519997":      {Verdict: Right, Country: "LV"},
		"eu_vat el 094 259 216":     {Verdict: Right, Country: "GR"},
		"eu_vat XIGD001":            {Verdict: Right, Country: "GB"},
		"eu_vat DE123456789":        {Verdict: Doubtful, Country: "DE"}, // what examples of other services send
		"gb_vat 980 7806 84":        {Verdict: Right, Country: "GB"},
		"gb_vat GBHA500":            {Verdict: Right, Country: "GB"},
		"gb_vat GB980780685":        {Verdict: Doubtful, Country: "GB"},
		"no_vat NO 974 760 673":     {Verdict: Right, Country: "NO"},
		"ch_vat CHE-100.155.212":    {Verdict: Right, Country: "CH"},
		"nz_gst 136410132":          {Verdict: Right, Country: "NZ"},
		"nz_gst 49098576":           {Verdict: Right, Country: "NZ"},
		"us_ein 00-1234567":         {Verdict: Doubtful, Country: "US"},
		"in_gst 27AAPFU0939F1ZA":    {Verdict: Doubtful, Country: "IN"},
		"ng_tin 1234567890":         {Verdict: Right, Country: "NG"},
		"company_number 123 of old": {},
	} {
		kind, number, _ := strings.Cut(value, " ")
		read, err := Check(kind, number)
		require.NoError(t, err, value)
		require.Equal(t, want, read, value)
	}
}

func TestRead_Refusals(t *testing.T) {
	t.Parallel()
	for value, code := range map[string]string{
		"eu_vat 123456789":       "tax_id_form", // without its country
		"eu_vat GB980780684":     "tax_id_form", // no member any more
		"eu_vat GR094259216":     "tax_id_form", // the prefix is EL
		"eu_vat D":               "tax_id_form",
		"eu_vat DE12345678":      "tax_id_form",
		"eu_vat ATX13585627":     "tax_id_form",
		"eu_vat DE136695976\n":   "tax_id_form",
		"gb_vat 98078068":        "tax_id_form",
		"za_vat 5123456789":      "tax_id_form",
		"ke_pin P05123456A":      "tax_id_form",
		"us_ein 12-345678":       "tax_id_form",
		"no_vat 974760674":       "tax_id_check_digit",
		"ch_vat CHE-100.155.213": "tax_id_check_digit",
		"au_abn 51 824 753 557":  "tax_id_check_digit",
		"nz_gst 49-091-851":      "tax_id_check_digit",
	} {
		kind, number, _ := strings.Cut(value, " ")
		_, err := Check(kind, number)
		require.Equal(t, [2]string{code, "value"}, [2]string{fault.From(err).Code, fault.From(err).Param}, value)
	}
}

// TestRead_OneWrongDigit mistypes each digit of each example: where there are check digits, it is noticed, but for
// the digits that a country does not check, or lets pass because two remainders share a check digit.
func TestRead_OneWrongDigit(t *testing.T) {
	t.Parallel()
	passing := map[string]bool{}
	for name, values := range examples() {
		for _, value := range values {
			value = Compact(value)
			key := name
			if name == EUVAT {
				key = value[:2]
			}
			for at := range value {
				for digit := '0'; digit <= '9' && value[at] >= '0' && value[at] <= '9'; digit++ {
					wrong := value[:at] + string(digit) + value[at+1:]
					if wrong != value && Read(name, wrong).Verdict == Right {
						passing[key] = true
					}
				}
			}
		}
	}
	require.Equal(t, []string{
		"BG", "CZ", "LV", "NL", "RO", "SE", "XI", "ca_gst_hst", "cm_niu", "gb_vat", "ke_pin", "ng_tin", "ug_tin", "us_ein",
		"za_vat",
	}, slices.Sorted(maps.Keys(passing)))
}

// TestRead_AnyText never fails otherwise than by a fault, whatever is sent.
func TestRead_AnyText(t *testing.T) {
	t.Parallel()
	names := append(Kinds(), "other")
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Z]{0,3}[0-9A-Z+*]{0,15}`)).Draw(t, "value")
		_, err := Check(rapid.SampledFrom(names).Draw(t, "type"), value)
		require.True(t, err == nil || fault.From(err).Kind == fault.Invalid)
	})
}

func TestUnion(t *testing.T) {
	t.Parallel()
	var in []string
	for _, m := range members {
		if Union(m.country) {
			in = append(in, m.country)
		}
	}
	require.Len(t, in, 27)
	for _, out := range []string{"", "GB", "XI", "EL", "NO", "CH", "US", "CM"} {
		require.False(t, Union(out), out)
	}
	require.True(t, Union("GR"))
}
