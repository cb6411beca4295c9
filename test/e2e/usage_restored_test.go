package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/world"
)

// usedOnClocks is the usage in Europe of the subscriptions on clocks: the first one reaches a threshold, which bills it
// at once, and the second one is billed on its renewal.
var usedOnClocks = []int64{80, 20}

// report reports the usage of the subscriptions on clocks, which apps send again after a restore, and waits for what it
// reaches.
func (s *lossy) report(ctx context.Context) {
	var records []world.Object
	for i, sub := range s.onClock {
		for n := range usedOnClocks[i] / 10 {
			records = append(records, world.Object{
				"subscriptionId": sub, "metricName": "calls", "quantity": 10, "properties": world.Object{"region": euRegion},
				"timestamp": s.start.Add(time.Duration(1+n) * time.Hour).Unix(), "idempotencyKey": fmt.Sprint(sub, "-", n),
			})
		}
	}
	answer, err := s.env.Change(ctx, http.MethodPost, "/api/usage/batch", world.Object{"records": records})
	require.NoError(s.t, err)
	require.Equal(s.t, len(records), strings.Count(string(answer.Body), `"status":201`), "%s", answer)
	for count(s.t, s.w, "select count(*) from usage_crossings where invoice_id is not null") == 0 {
		require.NoError(s.t, ctx.Err())
		pause(ctx, 100*time.Millisecond)
	}
}

// requireUsageBilled checks that each unit is billed once.
func (s *lossy) requireUsageBilled(ctx context.Context) {
	for i, sub := range s.onClock {
		units, cents := usageLines(ctx, s.t, s.env, sub)
		require.Equal(s.t, [2]int64{usedOnClocks[i], usedOnClocks[i] * euCents}, [2]int64{units, cents}, "of %s", sub)
	}
}
