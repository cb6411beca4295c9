package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
)

// dec reads a decimal of a test's own text.
func dec(s string) money.Decimal {
	d, err := money.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return d
}

// example is a quantity and its cost.
type example struct {
	quantity string
	amount   money.Minor
	steps    []string
}

// requireExamples rates in euros.
func requireExamples(t *testing.T, p rating.Price, examples ...example) {
	t.Helper()
	require.NoError(t, p.Validate())
	for _, e := range examples {
		got, err := p.Rate(dec(e.quantity), "EUR")
		require.NoError(t, err, e.quantity)
		require.Equal(t, e.amount, got.Amount, "%s units: %v", e.quantity, got.Steps)
		require.Equal(t, e.steps, texts(got.Steps), "%s units", e.quantity)
	}
}

func texts(steps []rating.Step) []string {
	var result []string
	for _, s := range steps {
		result = append(result, s.String())
	}
	return result
}
