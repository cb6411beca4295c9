package retry_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/dunning"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/internal/testkit/peercases"
)

// countsOrSums finds conditions about something else than days.
func countsOrSums(c peercases.Case) bool {
	var in struct{ Condition map[string]any }
	if json.Unmarshal(c.Input, &in) != nil {
		return false
	}
	_, days := in.Condition["days_since_earliest_unpaid_at_least"]
	return !days || len(in.Condition) > 1
}

func date(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, s)
	require.NoError(t, err)
	return at
}

// overdue reports whether a subscription that is past due since a day is acted on at another, after so many days: the
// state of a peer that sets in after days is our final action.
func overdue(since, at time.Time, days int) bool {
	s := subscription.Subscription{
		Status: subscription.PastDue, PastDueAt: since, AnchorAt: since, TimeZone: "UTC", NextPeriod: 1,
		Interval: period.Interval{Unit: period.Year, Count: 10},
	}
	action, due := s.Next(
		nil, subscription.Settings{Dunning: dunning.Policy{Final: dunning.Cancel, CancelAfterDays: days}},
	)
	return action == subscription.ActionPastDueEnd && !at.Before(due)
}

// overdueState is a state that sets in after days.
type overdueState struct {
	Name string
	Days int
}

// mostSevere returns the last state that fits an account unpaid since a day; zero: nothing is unpaid.
func mostSevere(states []overdueState, since, at time.Time) string {
	state := "CLEAR"
	for _, s := range states {
		if !since.IsZero() && overdue(since, at, s.Days) {
			state = s.Name
		}
	}
	return state
}

// checkOverdueState is checkOverdueTimeline of one account at one moment.
func checkOverdueState(t *testing.T, in struct {
	States []overdueState
	Days   *int `json:"days_since_earliest_unpaid"` // null: nothing is unpaid
}, want struct{ State string }) {
	at, since := date(t, "2026-03-15"), time.Time{}
	if in.Days != nil {
		since = at.AddDate(0, 0, -*in.Days)
	}
	require.Equal(t, want.State, mostSevere(in.States, since, at))
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
		var since time.Time
		for _, invoice := range in.Invoices {
			issued := date(t, invoice.Date)
			settled := (invoice.Paid != "" && !at.Before(date(t, invoice.Paid))) ||
				(invoice.Reopened != "" && at.Before(date(t, invoice.Reopened)))
			if !settled && !at.Before(issued) && (since.IsZero() || issued.Before(since)) {
				since = issued
			}
		}
		states = append(states, mostSevere(in.States, since, at))
	}
	require.Equal(t, want.States, states)
}

func checkOverdueCondition(t *testing.T, in struct {
	Condition struct {
		Days int `json:"days_since_earliest_unpaid_at_least"`
	}
	Account struct {
		Days *int `json:"days_since_earliest_unpaid"`
	}
}, want struct{ Matches bool }) {
	at := date(t, "2026-03-15")
	got := in.Account.Days != nil && overdue(at.AddDate(0, 0, -*in.Account.Days), at, in.Condition.Days)
	require.Equal(t, want.Matches, got)
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
