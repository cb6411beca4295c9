package country_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"perennial/billing/country"
	"perennial/billing/fault"
)

func TestCheck_EveryPairOfLetters(t *testing.T) {
	t.Parallel()
	accepted := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			err := country.Check(code)
			region, unknown := language.ParseRegion(code)
			if err == nil {
				accepted++
				require.NoError(t, unknown, code)
				require.True(t, region.IsCountry() && region.Canonicalize() == region, "%s is a present country", code)
				continue
			}
			require.Equal(t, "country_unknown", fault.From(err).Code, code)
			require.Equal(t, "country", fault.From(err).Param, code)
		}
	}
	require.Equal(t, 249+1, accepted, "the assigned ones, and Kosovo")
}

func TestCheck_WhatIsNoCountry(t *testing.T) {
	t.Parallel()
	for code, says := range map[string]string{
		"UK": "Send GB instead", "EL": "Send GR instead", "XI": "Send GB instead", "AN": "Send BQ, CW or SX instead",
		"ZR": "Send CD instead", "TP": "Send TL instead", "DD": "Send DE instead", "FX": "Send FR instead",
		"EU": "member state", "SU": "successor", "YU": "successor", "XX": "leave the field out",
		"QQ": "leave the field out", "ZZ": "leave the field out", "AA": "leave the field out",
	} {
		err := country.Check(code)
		require.Error(t, err, code)
		require.Contains(t, fault.From(err).Detail, says, code)
	}
	for _, malformed := range []string{"", "C", "CMR", "cm", "C1", " CM", "ÄÖ", "CM\n"} {
		require.Equal(t, "country_malformed", fault.From(country.Check(malformed)).Code, "%q", malformed)
	}
}

// Every code that a refusal names is one that is accepted.
func TestCheck_NamesCountries(t *testing.T) {
	t.Parallel()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			err := country.Check(string(a) + string(b))
			if err == nil {
				continue
			}
			_, send, _ := strings.Cut(fault.From(err).Detail, ". Send ")
			for word := range strings.FieldsFuncSeq(send, func(r rune) bool { return r < 'A' || r > 'z' }) {
				if len(word) == 2 && strings.ToUpper(word) == word {
					require.NoError(t, country.Check(word), fault.From(err).Detail)
				}
			}
		}
	}
}

func TestCheckNew_StoredCodesPass(t *testing.T) {
	t.Parallel()
	require.NoError(t, country.CheckNew("UK", "UK"))
	require.NoError(t, country.CheckNew("UK", ""))
	require.NoError(t, country.CheckNew("UK", "GB"))
	require.Error(t, country.CheckNew("GB", "UK"))
	require.Error(t, country.CheckNew("", "UK"))
}
