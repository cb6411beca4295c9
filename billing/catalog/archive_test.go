package catalog_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/plan"
)

func TestCheckArchived_RefusesMoreThanHalf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		held, kept, added int
		refused           bool
	}{
		{held: 0, kept: 0},
		{held: 0, kept: 0, added: 2},
		{held: 1, kept: 0, refused: true},
		{held: 1, kept: 0, added: 3, refused: true},
		{held: 2, kept: 1},
		{held: 3, kept: 1, refused: true},
		{held: 3, kept: 2},
		{held: 9, kept: 0, refused: true},
	} {
		var held []plan.Plan
		var file []catalog.Plan
		for i := range c.held {
			p := team()
			p.ID, p.Key = fmt.Sprint("plan_", i), fmt.Sprint("key-", i)
			held = append(held, p)
		}
		for i := range c.kept + c.added {
			p := described()
			p.Key = fmt.Sprint("key-", i)
			if i >= c.kept {
				p.Key = fmt.Sprint("new-", i)
			}
			file = append(file, p)
		}
		changes, err := catalog.Diff(held, file)
		require.NoError(t, err)

		err = catalog.CheckArchived(changes)

		if !c.refused {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.ErrorContains(t, err, "catalog_archives_most", "%+v", c)
		require.ErrorContains(t, err, fmt.Sprintf("%d of the %d active plans", c.held-c.kept, c.held))
	}
	sold, archived := described(), team()
	sold.Active = false
	archived.Key, archived.ID, archived.Active = "old", "plan_old", false
	changes, err := catalog.Diff([]plan.Plan{team(), archived}, []catalog.Plan{sold})
	require.NoError(t, err)
	require.NoError(t, catalog.CheckArchived(changes), "what the file says itself is meant")
}
