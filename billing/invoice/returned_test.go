package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

func TestReturned_IsBorneByWhatIsLeftOfUsage(t *testing.T) {
	t.Parallel()
	fifth := []tax.Rate{{ID: "vat", Percent: money.Whole(20)}}
	for name, c := range map[string]struct {
		lines    []invoice.Line
		returned money.Minor
		want     []money.Minor // credited
	}{
		"none":                 {[]invoice.Line{{Amount: 500}}, 0, []money.Minor{0}},
		"below none":           {[]invoice.Line{{Amount: 500}}, -10, []money.Minor{0}},
		"some":                 {[]invoice.Line{{Amount: 500}}, 300, []money.Minor{300}},
		"more than all":        {[]invoice.Line{{Amount: 500}}, 700, []money.Minor{500}},
		"of two, by size":      {[]invoice.Line{{Amount: 100}, {Amount: 300}}, 200, []money.Minor{50, 150}},
		"after a note":         {[]invoice.Line{{Amount: 500, Credited: 400}}, 700, []money.Minor{500}},
		"after discounts":      {[]invoice.Line{{Amount: 500, Discounts: invoice.Shares{{Amount: 100}}}}, 700, []money.Minor{400}},
		"with taxes":           {[]invoice.Line{{Amount: 500, Rates: fifth}}, 300, []money.Minor{250}},
		"beside a correction":  {[]invoice.Line{{Amount: 500}, {Amount: -200}}, 150, []money.Minor{150, 0}},
		"all of what it left":  {[]invoice.Line{{Amount: 500}, {Amount: -200}}, 900, []money.Minor{300, 0}},
		"a free line":          {[]invoice.Line{{Amount: 0}, {Amount: 500}}, 300, []money.Minor{0, 300}},
		"corrected to nothing": {[]invoice.Line{{Amount: 500}, {Amount: -500}}, 900, []money.Minor{0, 0}},
	} {
		got, err := invoice.Returned(c.lines, c.returned)
		require.NoError(t, err, name)
		for i, want := range c.want {
			require.Equal(t, want, got[i].Credited, "%s: line %d", name, i)
		}
	}
}

func TestReturned_OfTooMuch(t *testing.T) {
	t.Parallel()
	_, err := invoice.Returned([]invoice.Line{{Amount: money.MaxMinor}, {Amount: money.MaxMinor}}, 1)
	require.Error(t, err)
}

// Whatever the lines, they bear the money to the minor unit and no line bears more than is left of it.
func TestReturned_Any(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines []invoice.Line
		var left money.Minor
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			amount := money.Minor(rapid.Int64Range(-500, 1000).Draw(t, "amount"))
			credited := money.Minor(rapid.Int64Range(0, max(int64(amount), 0)).Draw(t, "credited"))
			lines, left = append(lines, invoice.Line{Amount: amount, Credited: credited}), left+amount-credited
		}
		returned := money.Minor(rapid.Int64Range(0, 5000).Draw(t, "returned"))
		got, err := invoice.Returned(lines, returned)
		require.NoError(t, err)
		var borne money.Minor
		for i, l := range got {
			require.GreaterOrEqual(t, l.Credited, lines[i].Credited)
			require.LessOrEqual(t, l.Credited, max(l.Amount, 0))
			borne += l.Credited - lines[i].Credited
		}
		require.Equal(t, max(min(returned, left), 0), borne)
	})
}

func TestWithoutNote(t *testing.T) {
	t.Parallel()
	all := []invoice.Back{{"c", 500, 0}, {"b", 900, 300}, {"a", 200, 200}}
	for decided, want := range map[money.Minor]map[string]money.Minor{
		0:    {"c": 500, "b": 600, "a": 0},
		400:  {"c": 100, "b": 600, "a": 0},
		700:  {"c": 0, "b": 400, "a": 0},
		2000: {"c": 0, "b": 0, "a": 0},
	} {
		require.Equal(t, want, invoice.WithoutNote(all, decided), decided)
	}
}
