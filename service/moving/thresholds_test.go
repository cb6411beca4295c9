package moving

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/subscription"
	"perennial/internal/id"
	"perennial/test/scene"
)

func TestExport_UsageThresholdsAreImported(t *testing.T) {
	t.Parallel()
	from, to := scene.New(t), scene.New(t)
	for _, s := range []*scene.Scene{from, to} {
		p := scene.Monthly(1900)
		p.Metered = &metered.Prices{Minimum: &metered.Minimum{ID: id.New(id.Price, scene.Start), Amount: 10}}
		s.Plan(t, p)
	}
	svc, by := at(from)
	svc.imported(t, by, ImportOptions{}, customerOf(1), subscriptionOf(1, `,"usageThresholds":[{"amount":5000,"invoice":true}]`))
	var file bytes.Buffer
	require.NoError(t, svc.Export(t.Context(), from.Env, ExportOptions{}, &file))

	other, there := at(to)
	out := other.imported(t, there, ImportOptions{}, strings.Split(strings.TrimSpace(file.String()), "\n")...)

	require.Equal(t, "imported", out.outcomes["s-1"])
	moved, err := to.Store.Subscriptions.Get(t.Context(), to.Env, idOf(t, to, "s-1"))
	require.NoError(t, err)
	require.Equal(t, &subscription.UsageThresholds{{Amount: 5000, Invoice: true}}, moved.UsageThresholds)
}
