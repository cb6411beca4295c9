package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Only changed items are written: a change of plan writes the new item and ends the old one, and another change writes
// none.
func TestChanges_Items(t *testing.T) {
	t.Parallel()
	l := newLife(t, []plan.Plan{team, pro}, settings, team, 0)
	l.advance()
	l.result(answer.Succeeded)
	before := l.sub().Items
	require.Len(t, before, 1)

	changes, err := l.apply(lifecycle.SetMetadata{Metadata: metadata.Pairs{"order": "7"}})
	require.NoError(t, err)
	require.NotNil(t, changes.Subscription)
	require.Empty(t, changes.Items)
	require.Empty(t, changes.EndedItems)

	changes, err = l.apply(lifecycle.ChangePlan{Plan: &pro, Proration: subscription.NextInvoice})
	require.NoError(t, err)
	require.Equal(t, l.sub().Items, changes.Items)
	require.Equal(t, []string{before[0].ID}, changes.EndedItems)
}
