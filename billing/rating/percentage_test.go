package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
)

// TestPercentage_OneTransaction: a quantity is the amount of one transaction, which pays its fee even for nothing.
func TestPercentage_OneTransaction(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.Percentage, Percent: dec("1.5"), Transactions: rating.Transactions{
		Fee: dec("0.25"), Minimum: dec("0.5"), Maximum: dec("10"),
	}},
		example{"0", 50, []string{
			"1 transactions × 0.25 = 0.25", "raised by 0.25 to the minimum of each transaction",
		}},
		example{"100", 175, []string{"1.5 % of 100 = 1.5", "1 transactions × 0.25 = 0.25"}},
		example{"1000", 1000, []string{
			"1.5 % of 1000 = 15", "1 transactions × 0.25 = 0.25", "lowered by 5.25 to the maximum of each transaction",
		}},
	)
}

func TestPercentage_Transactions(t *testing.T) {
	t.Parallel()
	fee := dec("0.10")
	for _, c := range []struct {
		name    string
		rules   rating.Transactions
		amounts []string
		amount  money.Minor
		steps   []string
	}{
		{"none", rating.Transactions{Fee: fee}, nil, 0, nil},
		{
			"none free", rating.Transactions{Fee: fee}, []string{"10", "0", "30"}, 70,
			[]string{"1 % of 40 = 0.4", "3 transactions × 0.1 = 0.3"},
		},
		{
			"two free", rating.Transactions{Fee: fee, Free: 2}, []string{"10", "20", "30"}, 40,
			[]string{"30 included", "1 % of 30 = 0.3", "1 transactions × 0.1 = 0.1"},
		},
		{
			"more free than there are", rating.Transactions{Fee: fee, Free: 5}, []string{"10", "20"}, 0,
			[]string{"30 included"},
		},
		{
			"free amount ends with a transaction", rating.Transactions{Fee: fee, FreeAmount: dec("30")},
			[]string{"10", "20", "30"}, 40,
			[]string{"30 included", "1 % of 30 = 0.3", "1 transactions × 0.1 = 0.1"},
		},
		{
			"free amount ends within a transaction", rating.Transactions{Fee: fee, FreeAmount: dec("25")},
			[]string{"10", "20", "30"}, 55,
			[]string{"25 included", "1 % of 35 = 0.35", "2 transactions × 0.1 = 0.2"},
		},
		{
			"the number ends first", rating.Transactions{Fee: fee, Free: 1, FreeAmount: dec("25")},
			[]string{"10", "20", "30"}, 70,
			[]string{"10 included", "1 % of 50 = 0.5", "2 transactions × 0.1 = 0.2"},
		},
		{
			"the sum ends first", rating.Transactions{Fee: fee, Free: 3, FreeAmount: dec("5")},
			[]string{"10", "20", "30"}, 85,
			[]string{"5 included", "1 % of 55 = 0.55", "3 transactions × 0.1 = 0.3"},
		},
		{
			"bounds hold for each that pays", rating.Transactions{Fee: fee, Free: 1, Minimum: dec("0.5"), Maximum: dec("2")},
			[]string{"1000", "1", "100", "500"}, 360,
			[]string{
				"1000 included", "1 % of 601 = 6.01", "3 transactions × 0.1 = 0.3",
				"raised by 0.39 to the minimum of each transaction", "lowered by 3.1 to the maximum of each transaction",
			},
		},
	} {
		price := rating.Price{Model: rating.Percentage, Percent: dec("1"), Transactions: c.rules}
		require.NoError(t, price.Validate(), c.name)
		var amounts []money.Decimal
		for _, amount := range c.amounts {
			amounts = append(amounts, dec(amount))
		}
		got, err := price.RateTransactions(amounts, "EUR")
		require.NoError(t, err, c.name)
		require.Equal(t, c.amount, got.Amount, c.name)
		require.Equal(t, c.steps, texts(got.Steps), c.name)
	}
}
