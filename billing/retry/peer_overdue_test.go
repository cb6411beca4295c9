package retry_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/costing"
	"perennial/billing/dunning"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/internal/testkit/peercases"
)

// condition is one of being overdue, about days or about a number of invoices.
type condition struct {
	Days     *int `json:"days_since_earliest_unpaid_at_least"`
	Invoices *int `json:"unpaid_invoices_at_least"`
}

// countsOrSums finds conditions other than one of days, or of a first unpaid invoice.
func countsOrSums(c peercases.Case) bool {
	var in struct{ Condition map[string]any }
	var known struct{ Condition condition }
	if json.Unmarshal(c.Input, &in) != nil || json.Unmarshal(c.Input, &known) != nil {
		return false
	}
	first := known.Condition.Invoices != nil && *known.Condition.Invoices == 1
	return len(in.Condition) != 1 || known.Condition.Days == nil && !first
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

// checkOverdueCondition checks whether a subscription is past due for long enough, or at all.
func checkOverdueCondition(t *testing.T, in struct {
	Condition condition
	Account   struct {
		Days     *int `json:"days_since_earliest_unpaid"`
		Invoices *int `json:"unpaid_invoices"`
	}
}, want struct{ Matches bool }) {
	at := date(t, "2026-03-15")
	if in.Condition.Invoices != nil {
		require.NotNil(t, in.Account.Invoices)
		require.Equal(t, want.Matches, pastDueWith(t, *in.Account.Invoices, at))
		return
	}
	require.NotNil(t, in.Condition.Days)
	got := in.Account.Days != nil && overdue(at.AddDate(0, 0, -*in.Account.Days), at, *in.Condition.Days)
	require.Equal(t, want.Matches, got)
}

// pastDueWith reports whether a subscription is past due that failed to pay one invoice more than so many, and pays that
// one now.
func pastDueWith(t *testing.T, unpaid int, at time.Time) bool {
	t.Helper()
	s := subscription.Subscription{Status: subscription.Active, ActivatedAt: at, TimeZone: "UTC"}
	var facts costing.Facts
	for n := range unpaid + 1 {
		failed, err := subscribing.With(s, facts).Unpaid(dunning.PastDue, 1, at)
		require.NoError(t, err)
		s = failed.Subscription
		facts.Open = append(facts.Open, invoice.Invoice{
			ID: strconv.Itoa(n), Status: invoice.Open, Collection: collection.State{Phase: collection.Exhausted},
		})
	}
	paid := facts.Open[0]
	facts.Open = facts.Open[1:]
	settled, err := subscribing.With(s, facts).Settled(paid, at)
	require.NoError(t, err)
	return settled.Subscription.Status == subscription.PastDue
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
