package erasure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/erasure"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func TestNext_StagesInOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin erasure.Erasure
		want  []erasure.Stage
	}{
		"customer": {erasure.OfCustomer("era_1", "cust_1", now), []erasure.Stage{
			erasure.Subscriptions, erasure.Invoices, erasure.Transactions, erasure.Events, erasure.Responses, erasure.Finished,
		}},
		"test clock": {erasure.OfTestClock("era_1", "clk_1", now), []erasure.Stage{erasure.Customers, erasure.Finished}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := c.begin
			for _, stage := range c.want {
				require.Equal(t, stage, e.Stage)
				require.Equal(t, stage == erasure.Finished, !e.FinishedAt.IsZero())
				if stage == erasure.Finished {
					return
				}
				full := e.Next(erasure.Handled{Rows: e.Batch(), Last: 7}, e.Batch(), now.Add(time.Second))
				require.Equal(t, stage, full.Stage, "a full batch may not be the last one")
				require.EqualValues(t, 7, full.After)
				require.Equal(t, now.Add(time.Second), full.ProgressAt)
				e = full.Next(erasure.Handled{Rows: e.Batch() - 1, Last: 9}, e.Batch(), now.Add(time.Minute))
				require.Zero(t, e.After, "the next stage begins at its first row")
			}
		})
	}
}
