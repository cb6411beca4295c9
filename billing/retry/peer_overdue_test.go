package retry_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/overdue"
	"perennial/billing/terms"
)

// condition is one of being overdue, about days or about a number of invoices.
type condition struct {
	Days     int `json:"days_since_earliest_unpaid_at_least"`
	Invoices int `json:"unpaid_invoices_at_least"`
}

func date(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, s)
	require.NoError(t, err)
	return at
}

// overdueState is a state that sets in after days.
type overdueState struct {
	Name string
	Days int
}

// stateOf returns the state of a customer with unpaid invoices of these days at another day; CLEAR: none.
func stateOf(t *testing.T, states []overdueState, unpaid []time.Time, at time.Time) string {
	t.Helper()
	var policy overdue.Policy
	names := map[string]string{"": "CLEAR"}
	for i, s := range states {
		state := overdue.State{Name: "state_" + string(rune('a'+i)), Days: s.Days}
		names[state.Name], policy.States = s.Name, append(policy.States, state)
	}
	require.NoError(t, policy.Validate())
	var debts overdue.Debts
	for _, since := range unpaid {
		debts = append(debts, overdue.Debt{Currency: "USD", Amount: 1, Since: since})
	}
	return names[policy.Review(overdue.Standing{}, debts, at).State]
}

// checkOverdueState is checkOverdueTimeline of one account at one moment.
func checkOverdueState(t *testing.T, in struct {
	States []overdueState
	Days   *int `json:"days_since_earliest_unpaid"` // null: nothing is unpaid
}, want struct{ State string }) {
	at := date(t, "2026-03-15")
	var unpaid []time.Time
	if in.Days != nil {
		unpaid = append(unpaid, at.AddDate(0, 0, -*in.Days))
	}
	require.Equal(t, want.State, stateOf(t, in.States, unpaid, at))
}

type overdueTimelineInput struct {
	States   []overdueState
	Invoices []struct {
		Date     string
		Paid     string `json:"paid_on"`
		Reopened string `json:"reopened_on"` // paid until then; unpaid since its date
	}
	Dates []string `json:"check_dates"`
}

func checkOverdueTimeline(t *testing.T, in overdueTimelineInput, want struct{ States []string }) {
	var states []string
	for _, check := range in.Dates {
		at := date(t, check)
		var unpaid []time.Time
		for _, invoice := range in.Invoices {
			settled := (invoice.Paid != "" && !at.Before(date(t, invoice.Paid))) ||
				(invoice.Reopened != "" && at.Before(date(t, invoice.Reopened)))
			if !settled {
				unpaid = append(unpaid, date(t, invoice.Date))
			}
		}
		states = append(states, stateOf(t, in.States, unpaid, at))
	}
	require.Equal(t, want.States, states)
}

// checkOverdueCondition checks whether a state with one condition holds.
func checkOverdueCondition(t *testing.T, in struct {
	Condition condition
	Account   struct {
		Days     *int `json:"days_since_earliest_unpaid"`
		Invoices *int `json:"unpaid_invoices"`
	}
}, want struct{ Matches bool }) {
	at := date(t, "2026-03-15")
	policy := overdue.Policy{States: []overdue.State{{
		Name: "overdue", Days: in.Condition.Days, Invoices: in.Condition.Invoices,
	}}}
	require.NoError(t, policy.Validate())
	var debts overdue.Debts
	add := func(days int) {
		debts = append(debts, overdue.Debt{Currency: "USD", Amount: 1, Since: at.AddDate(0, 0, -days)})
	}
	if in.Account.Days != nil {
		add(*in.Account.Days)
	}
	if in.Account.Invoices != nil {
		for range *in.Account.Invoices {
			add(0)
		}
	}
	require.Equal(t, want.Matches, policy.Review(overdue.Standing{}, debts, at).State != "")
}

// checkUnpaidSummary sums what an account owes.
func checkUnpaidSummary(t *testing.T, in struct {
	Invoices []struct {
		Day     int
		Balance string // of the currency's major units
	}
}, want struct {
	Count    int
	Balance  string
	Earliest int `json:"earliest_day"`
}) {
	first := date(t, "2026-03-15")
	minor := func(s string) money.Minor {
		r, ok := new(big.Rat).SetString(s)
		require.True(t, ok, s)
		r.Mul(r, big.NewRat(100, 1))
		require.True(t, r.IsInt(), s)
		return money.Minor(r.Num().Int64())
	}
	var debts overdue.Debts
	for _, i := range in.Invoices {
		debts = append(debts, overdue.Debt{Currency: "USD", Amount: minor(i.Balance), Since: first.AddDate(0, 0, i.Day)})
	}
	got := debts.At(first.AddDate(1, 0, 0))
	require.Equal(t, want.Count, got.Invoices)
	require.Equal(t, minor(want.Balance), got.In("USD"))
	require.Equal(t, first.AddDate(0, 0, want.Earliest), got.Oldest)
}

func checkPaymentDue(t *testing.T, in struct {
	Date string `json:"invoice_date"`
	Days int    `json:"net_days"`
}, want struct {
	Due     string `json:"due_date"`
	Overdue string `json:"overdue_on"`
}) {
	net := terms.Terms{Method: terms.Send, NetDays: in.Days}
	require.NoError(t, net.Validate())
	got := net.Due(date(t, in.Date), nil)
	require.Equal(t, []string{want.Due, want.Overdue},
		[]string{got.Start.Format(time.DateOnly), got.End.Format(time.DateOnly)})
}

// demands reports whether a customer-wide policy whose state begins at the threshold of a currency holds for a customer
// who owes these sums.
func demands(t *testing.T, threshold overdue.Amount, owed map[string]money.Minor) bool {
	t.Helper()
	policy := overdue.Policy{States: []overdue.State{{Name: "demanded", Amounts: []overdue.Amount{threshold}}}}
	require.NoError(t, policy.Validate())
	now := date(t, "2026-03-15")
	var debts overdue.Debts
	for currency, amount := range owed {
		debts = append(debts, overdue.Debt{Currency: money.Currency(currency), Amount: amount, Since: now})
	}
	return policy.Review(overdue.Standing{}, debts, now).State != ""
}
