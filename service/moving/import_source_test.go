package moving

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/test/scene"
)

// Two systems count their customers from 1, so the source is a part of an id's key. A customer whose record was refused
// gets neither the balance nor the subscription of another one. A dry run reports subscriptions that cannot be
// collected.
func TestImport_Sources(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(1900))
	theirs := strings.Replace(customerOf(1), "c1@", "other@", 1)
	cardless := `{"type":"customer","id":"c-2","email":"c2@example.com"}`
	svc.imported(t, by, ImportOptions{}, customerOf(1))

	refused := svc.imported(t, by, ImportOptions{}, theirs, subscriptionOf(1, ""), balanceOf(1, 5))
	require.Equal(t, map[string]string{
		"c-1": "1 import_record_changed", "s-1": "2 import_customer_refused", "c-1/EUR": "3 import_customer_refused",
	}, refused.outcomes)

	other := ImportOptions{Source: "chargebee", DryRun: true}
	file := []string{theirs, subscriptionOf(1, ""), cardless, subscriptionOf(2, "")}
	dry := svc.imported(t, by, other, file...)
	require.Equal(t, "the customer has no payment method", dry.next["s-2"].Uncollectable)
	other.DryRun = false
	for _, want := range []string{"imported", "present"} {
		require.Equal(t, map[string]string{"c-1": want, "s-1": want, "c-2": want, "s-2": want},
			svc.imported(t, by, other, file...).outcomes)
	}
	require.Equal(t, 1, rows(t, s,
		`subscriptions s join customers c on c.id = s.customer_id where c.email = 'other@example.com'`))
	_, err := importFrom(t.Context(), t, svc.Service, by, ImportOptions{Source: "No Name"}, theirs)
	require.ErrorContains(t, err, "import_source_invalid")
}
