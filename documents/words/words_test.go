package words_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	m "perennial/billing/money"
	"perennial/documents/words"
)

// Each language has all texts: a field that is added to one is missing in the others until they are written.
func TestLanguages_AreComplete(t *testing.T) {
	t.Parallel()
	first := words.Languages[0].Texts
	seen := map[string]bool{}
	for _, l := range words.Languages {
		require.False(t, seen[l.Tag], l.Tag)
		seen[l.Tag] = true
		for _, month := range l.Months {
			require.NotEmpty(t, month, l.Tag)
		}
		have, want := reflect.ValueOf(l.Texts), reflect.ValueOf(first)
		for i := range have.NumField() {
			name := have.Type().Field(i).Name
			if have.Field(i).Kind() != reflect.Map {
				require.NotEmpty(t, have.Field(i).String(), "%s: %s", l.Tag, name)
				continue
			}
			require.Equal(t, want.Field(i).Len(), have.Field(i).Len(), "%s: %s", l.Tag, name)
			for _, key := range want.Field(i).MapKeys() {
				text := have.Field(i).MapIndex(key)
				require.True(t, text.IsValid() && text.String() != "", "%s: %s %s", l.Tag, name, key)
			}
		}
	}
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		locale, currency, want string
		amount                 int64
	}{
		{"en", "USD", "$1,234.50", 123450},
		{"de", "EUR", "1.234,50 €", 123450},
		{"fr", "EUR", "1 234,50 €", 123450}, // with the narrow space of CLDR
		{"de-CH", "CHF", "CHF 1’234.50", 123450},
		{"en", "XAF", "FCFA 1,234", 1234},
		{"sw", "KES", "Ksh 1,234.50", 123450},
		{"nowhere", "JPY", "¥1,234", 1234},
	} {
		got, err := words.Amount(c.locale, money(c.currency), minor(c.amount))
		require.NoError(t, err)
		require.Equal(t, c.want, spaced(got), "%s in %s", c.currency, c.locale)
	}
	_, err := words.Amount("en", "XXQ", 1)
	require.Error(t, err)
}

func TestDecimal_KeepsAllDigits(t *testing.T) {
	t.Parallel()
	require.Equal(t, "0.0035", words.Decimal("en", "0.0035"))
	require.Equal(t, "0,0035", words.Decimal("de", "0.0035"))
	require.Equal(t, "1.234", words.Decimal("de", "1234"))
	require.Equal(t, "no number", words.Decimal("de", "no number"))
}

func TestOf(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{"de-AT": "de", "pt_BR": "pt", "AR": "ar", "": "en", "zh": "en"} {
		require.Equal(t, want, words.Of(locale).Tag, locale)
	}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	require.Equal(t, "1. März 2026", words.Of("de").DateOf(day))
	require.Equal(t, "1 de marzo de 2026", words.Of("es").DateOf(day))
	require.Equal(t, "1er mars 2026", words.Of("fr").DateOf(day))
	require.Equal(t, "21 mars 2026", words.Of("fr").DateOf(day.AddDate(0, 0, 20)))
}

func TestCountry(t *testing.T) {
	t.Parallel()
	for _, l := range words.Languages {
		require.NotEqual(t, "DE", l.Country("DE"), l.Tag)
	}
	require.Equal(t, "Deutschland", words.Of("de").Country("DE"))
	require.Equal(t, "Kenya", words.Of("sw").Country("KE"))
	require.Equal(t, "Kosovo", words.Of("en").Country("XK"))
	require.Equal(t, "not one", words.Of("en").Country("not one"))
	require.Equal(t, "Seite 2 von 3", words.Of("de").PageOf(2, 3))
}

func money(code string) m.Currency { return m.Currency(code) }

func minor(amount int64) m.Minor { return m.Minor(amount) }

// spaced writes the spaces of CLDR, which do not break lines, as plain ones.
func spaced(s string) string { return strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(s) }
