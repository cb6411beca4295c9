package rating_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/service"
	"perennial/test/life"
	"perennial/test/scene"
)

// A value of a dimension whose usage was reversed in full owes no minimum, for a price of each record or of their sum,
// with and without aggregates; billed amounts are returned. A value with a record of 0 owes it.
func TestUsage_TakenBackOwesNoMinimum(t *testing.T) {
	t.Parallel()
	for name, price := range map[string]rating.Price{
		"a sum": {Model: rating.PerUnit, UnitPrice: money.Whole(1), Minimum: 700},
		"each record": {Model: rating.Percentage, Percent: money.Whole(1), Minimum: 700,
			Transactions: rating.Transactions{Fee: money.Units(1, "EUR")}},
	} {
		for _, aggregated := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, aggregated %v", name, aggregated), func(t *testing.T) {
				t.Parallel()
				s := scene.New(t)
				p := metering(calls(t, s))
				p.Metered.Components[0].Rates = []metered.Rate{{By: []string{"region"}, Price: price}}
				l := life.Begin(t, s, p)
				l.Until(scene.Start.Add(5 * life.Day))
				at := scene.Start.Add(life.Day)
				used(l, "eu", 2, at)
				used(l, "us", 3, at)
				used(l, "cn", 0, at)
				takenBack(l, fmt.Sprint("eu", 2, at.UnixNano()), 2)
				if aggregated {
					_, err := service.New(s.Store, s.Clock.Now).Usage.RollUpUsage(t.Context())
					require.NoError(t, err)
				}
				l.Until(scene.Start.AddDate(0, 1, 1))
				require.Equal(t, money.Minor(1000+700+700), l.Invoices()[1].Total, "us and cn")

				takenBack(l, fmt.Sprint("us", 3, at.UnixNano()), 3)
				l.Until(scene.Start.AddDate(0, 2, 1).Add(time.Hour))
				require.Equal(t, money.Minor(1000-700), l.Invoices()[2].Total, "us went back")
				l.Sound()
			})
		}
	}
}
