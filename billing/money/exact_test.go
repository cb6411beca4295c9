package money_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
)

func TestParseDecimal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.00": "0", "1": "1", "007": "7", "-1.50": "-1.5", "100": "100",
		"0.000000000001":            "0.000000000001",
		"999999999999.999999999999": "999999999999.999999999999", "1200.0": "1200",
	} {
		d, err := money.ParseDecimal(text)
		require.NoError(t, err, text)
		require.Equal(t, want, d.String())
		require.True(t, d.IsGiven())
	}
	for _, text := range []string{
		"", "-", ".", "1.", ".5", "+1", "1e3", "1E-3", "0x10", "NaN", "Infinity", "1,5", " 1", "1 ", "--1", "1.-5", "1.2.3",
		"1234567890123", "0.1234567890123", "١",
	} {
		_, err := money.ParseDecimal(text)
		require.ErrorContains(t, err, "decimal_invalid", text)
	}
}

// TestDecimal_JSON: numbers are strings, and one that was not given is not written.
func TestDecimal_JSON(t *testing.T) {
	t.Parallel()
	type price struct {
		Unit  money.Decimal `json:"unit,omitzero"`
		Least money.Decimal `json:"least,omitzero"`
	}
	for _, text := range []string{`{}`, `{"unit":"0"}`, `{"unit":"0.0035","least":"-3"}`} {
		var p price
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		got, err := json.Marshal(p)
		require.NoError(t, err)
		require.JSONEq(t, text, string(got))
	}
	var p price
	require.NoError(t, json.Unmarshal([]byte(`{"unit":""}`), &p))
	require.False(t, p.Unit.IsGiven())
	require.Zero(t, p.Unit.Sign())
	require.Empty(t, p.Unit.String())
	require.ErrorContains(t, json.Unmarshal([]byte(`{"unit":"1e3"}`), &p), "decimal_invalid")
	require.Error(t, json.Unmarshal([]byte(`{"unit":0.1}`), &p), "0.1 as a binary fraction is not 0.1")
}

// TestDecimal_Arithmetic compares with integers, scaled by a thousand.
func TestDecimal_Arithmetic(t *testing.T) {
	t.Parallel()
	thousandth, err := money.ParseDecimal("0.001")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(-1_000_000_000, 1_000_000_000).Draw(t, "a")
		b := rapid.Int64Range(-1_000_000_000, 1_000_000_000).Draw(t, "b")
		x, y := money.Whole(a).Mul(thousandth), money.Whole(b).Mul(thousandth)
		require.Zero(t, x.Add(y).Cmp(money.Whole(a+b).Mul(thousandth)))
		require.Zero(t, x.Sub(y).Cmp(money.Whole(a-b).Mul(thousandth)))
		require.Zero(t, x.Mul(y).Cmp(money.Whole(a*b).Mul(thousandth).Mul(thousandth)))
		require.Zero(t, x.Hundredth().Mul(money.Whole(100)).Cmp(x))
		require.Equal(t, a < b, x.Cmp(y) < 0)
		read, err := money.ParseDecimal(x.String())
		require.NoError(t, err)
		again, err := money.ParseDecimal(x.Add(money.Decimal{}).String())
		require.NoError(t, err)
		require.Equal(t, read, again, "numbers that are read and equal are equal values")
		minor, err := x.Round("BHD")
		require.NoError(t, err)
		require.Equal(t, money.Minor(a), minor)
		require.Zero(t, money.Units(minor, "BHD").Cmp(x))

		size := max(b, -b) + 1
		portions := money.Whole(a).Portions(money.Whole(size))
		want := int64(0)
		if a > 0 {
			want = (a + size - 1) / size
		}
		require.Zero(t, portions.Cmp(money.Whole(want)), "%d portions of %d", a, size)
	})
}

// TestDecimal_CopiesAreSafe: the digits of a number beyond 128 bits are shared between its copies.
func TestDecimal_CopiesAreSafe(t *testing.T) {
	t.Parallel()
	large, err := money.ParseDecimal("999999999999.999999999999")
	require.NoError(t, err)
	large = large.Mul(large).Mul(money.Whole(1_000_000))
	before := large.String()
	copied := large
	_ = copied.String()
	_ = copied.Add(copied).Mul(copied).Hundredth()
	_ = copied.Portions(money.Whole(7))
	require.Equal(t, before, large.String())
}
