package moving_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/overdue"
	"perennial/billing/subscription"
)

// Policies of settings and customers are read as they were, also one without states, which leaves a customer out.
func TestOverduePolicy_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, p := range []overdue.Policy{{}, {States: []overdue.State{
		{Name: "late", Days: 3},
		{Name: "out", Any: true, Invoices: 2, Amounts: []overdue.Amount{{Currency: "EUR", Amount: money.Minor(7)}},
			DenyAccess: true, Cancel: true, NeedsPerson: true},
	}}} {
		form := moving.OverdueOf(p)
		text, err := json.Marshal(moving.Customer{OverduePolicy: &form})
		require.NoError(t, err)
		var record moving.Customer
		require.NoError(t, json.Unmarshal(text, &record))
		_, back, err := record.Policies()
		require.NoError(t, err)
		require.Equal(t, &p, back)

		s := subscription.DefaultSettings()
		s.Overdue = p
		is, changed, err := moving.SettingsOf(s).On(subscription.DefaultSettings())
		require.NoError(t, err)
		require.Equal(t, p, is.Overdue)
		require.Equal(t, !p.IsZero(), len(changed) == 1, changed)
	}
	unpaid, owing, err := moving.Customer{}.Policies()
	require.NoError(t, err)
	require.Nil(t, unpaid)
	require.Nil(t, owing)
}

// A word that no request may send is not read as the mildest one. Another policy that was chosen here stays.
func TestOverduePolicy_Refused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state moving.OverdueState
		param string
	}{
		{moving.OverdueState{Match: "some"}, "overduePolicy.states[0].match"},
		{moving.OverdueState{Access: "block"}, "overduePolicy.states[0].access"},
		{moving.OverdueState{Subscriptions: "pause"}, "overduePolicy.states[0].subscriptions"},
	} {
		c.state.Name, c.state.Days = "late", 1
		form := &moving.OverduePolicy{States: []moving.OverdueState{c.state}}
		_, _, err := moving.Customer{OverduePolicy: form}.Policies()
		require.Equal(t, [2]string{c.param, "overdue_policy_invalid"}, [2]string{fault.From(err).Param, fault.From(err).Code})
		_, _, again := moving.Settings{OverduePolicy: form}.On(subscription.DefaultSettings())
		require.Equal(t, err, again)
	}
	chosen := subscription.DefaultSettings()
	chosen.Overdue.States = []overdue.State{{Name: "late", Days: 1}}
	_, _, err := moving.Settings{OverduePolicy: &moving.OverduePolicy{}}.On(chosen)
	require.Equal(t, [2]string{"overduePolicy", "import_settings_changed"}, [2]string{fault.From(err).Param, fault.From(err).Code})
}
