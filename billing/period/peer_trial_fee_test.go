package period_test

import (
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/internal/testkit/peercases"
)

type feeAfterTrialInput struct {
	Amount     money.Minor
	Interval   string
	First      string  `json:"period_first_day"`
	Last       string  `json:"period_last_day"`
	From       *string `json:"billed_first_day"`
	To         *string `json:"billed_last_day"`
	Start      string
	TrialDays  int    `json:"trial_days"`
	Advance    bool   `json:"pay_in_advance"` // the part is the same
	Terminated string `json:"terminated_on"`
	Replaced   bool   `json:"replaced_by_next_subscription"` // which has the day of its start
}

type feeAfterTrialResult struct {
	Amount  *money.Minor
	Precise *string
}

// checkFeeAfterTrial divides a period of the calendar by days: what lies behind the trial is billed.
func checkFeeAfterTrial(t *testing.T, in feeAfterTrialInput, want feeAfterTrialResult) {
	day := func(s string) time.Time { return instant(t, s, time.UTC) }
	of := period.Period{Start: day(in.First), End: day(in.Last).AddDate(0, 0, 1)}
	whole := period.Schedule{Anchor: of.Start, Location: time.UTC, Interval: interval(t, in.Interval, 1)}.Period(0)
	require.Equal(t, whole, of)
	part := period.Period{Start: period.AddDays(day(in.Start), time.UTC, in.TrialDays), End: of.End}
	if in.To != nil {
		part.End = day(*in.To).AddDate(0, 0, 1)
	}
	if in.Terminated != "" {
		end := day(in.Terminated)
		if !in.Replaced {
			end = end.AddDate(0, 0, 1)
		}
		require.Equal(t, end, part.End)
	}
	span := proration.Span{Length: 1}
	if part.Start.Before(of.End) {
		var err error
		require.NotNil(t, in.From)
		require.Equal(t, day(*in.From), part.Start)
		span, err = proration.DayInclusive.Span(of, part, nil)
		require.NoError(t, err)
	} else {
		require.Nil(t, in.From)
	}
	if want.Amount != nil {
		require.Equal(t, *want.Amount, span.Of(in.Amount))
	}
	if want.Precise != nil {
		ours := new(big.Rat).SetFrac64(int64(in.Amount)*span.Units(), span.Length)
		require.Equal(t, decimal(t, *want.Precise).FloatString(6), ours.FloatString(6))
	}
}

type trialBillingInput struct {
	Amount      money.Minor
	Interval    string
	BillingTime string `json:"billing_time"`
	Advance     bool   `json:"pay_in_advance"`
	Timezone    string
	TrialDays   int `json:"trial_days"`
	Start       time.Time
	Upgrade     *struct {
		At        time.Time
		Amount    money.Minor
		TrialDays int `json:"trial_days"`
	}
}

type trialBillingResult struct {
	AtStart *bool   `json:"invoiced_at_start"`
	Ended   *string `json:"trial_ended_at"`
	Runs    []struct {
		At       time.Time
		InTrial  *bool           `json:"in_trial"`
		Invoices *int            `json:"invoices_total"`
		Fee      json.RawMessage `json:"subscription_fee"` // of the newest invoice; null: there is none
	}
}

// otherBilling finds cases that are not billed by the calendar and in advance.
func otherBilling(c peercases.Case) bool {
	var in trialBillingInput
	return json.Unmarshal(c.Input, &in) == nil && (in.BillingTime != "calendar" || !in.Advance)
}

// countsHours finds trials whose end differs by a clock change.
func countsHours(c peercases.Case) bool {
	var in trialBillingInput
	if json.Unmarshal(c.Input, &in) != nil {
		return false
	}
	loc, err := period.LoadLocation(in.Timezone)
	day := 24 * time.Hour
	return err == nil && !period.AddDays(in.Start, loc, in.TrialDays).Equal(in.Start.Add(time.Duration(in.TrialDays)*day))
}

// checkTrialBilling bills the rest of the calendar period where the trial ends, and whole periods from then on. An
// upgrade within the trial has its own price and trial, counted from the same start.
func checkTrialBilling(t *testing.T, in trialBillingInput, want trialBillingResult) {
	loc := zone(t, in.Timezone)
	amount, days := in.Amount, in.TrialDays
	if in.Upgrade != nil {
		require.True(t, in.Upgrade.At.Before(period.AddDays(in.Start, loc, days)), "an upgrade within the trial")
		amount, days = in.Upgrade.Amount, in.Upgrade.TrialDays
	}
	end := period.AddDays(in.Start, loc, days)
	grid := calendarGrid(loc, interval(t, in.Interval, 1))
	first := grid.IndexAt(end)
	rest, err := proration.DayInclusive.Rest(grid.Period(first), end, loc)
	require.NoError(t, err)
	if want.AtStart != nil {
		require.Equal(t, *want.AtStart, !end.After(in.Start))
	}
	if want.Ended != nil {
		requireInstant(t, *want.Ended, end, loc)
	}
	for _, run := range want.Runs {
		var fees []money.Minor
		if !run.At.Before(end) {
			fees = append(fees, rest.Of(amount))
			for n := first + 1; !run.At.Before(grid.Boundary(n)); n++ {
				fees = append(fees, amount)
			}
		}
		if run.InTrial != nil {
			require.Equal(t, *run.InTrial, run.At.Before(end))
		}
		if run.Invoices != nil {
			require.Len(t, fees, *run.Invoices)
		}
		if run.Fee == nil {
			continue
		}
		var fee *money.Minor
		require.NoError(t, json.Unmarshal(run.Fee, &fee))
		if fee == nil {
			require.Empty(t, fees)
		} else {
			require.NotEmpty(t, fees)
			require.Equal(t, *fee, fees[len(fees)-1])
		}
	}
}

type trialWindow struct {
	Start     time.Time `json:"trial_start"`
	End       time.Time `json:"trial_end"`
	Requested *string   `json:"requested_status"`
}

func asksStatus(c peercases.Case) bool {
	var in trialWindow
	return json.Unmarshal(c.Input, &in) == nil && in.Requested != nil
}

// begun is a subscription with that trial.
func begun(t *testing.T, p plan.Plan, in trialWindow) subscription.Subscription {
	t.Helper()
	days := int(in.End.Sub(in.Start) / (24 * time.Hour))
	s, _, err := subscribing.Create(p, subscribing.NewInput{
		ID: "sub_1", CustomerID: "cust_1", TrialDays: &days, TimeZone: "UTC", Now: in.Start,
	})
	require.NoError(t, err)
	require.Equal(t, in.End, s.TrialEndsAt)
	return s
}

func checkTrialState(t *testing.T, in trialWindow, want struct {
	Status string
	Start  time.Time `json:"current_period_start"`
	End    time.Time `json:"current_period_end"`
}) {
	s := begun(t, plan.Plan{Active: true, Interval: units["month"]}, in)
	require.Equal(t, want.Status, string(s.Status))
	require.Equal(t, period.Period{Start: want.Start, End: want.End}, s.CurrentPeriod)
}

type trialEndPaymentInput struct {
	trialWindow
	Interval   string
	Anchor     time.Time // the start; ours moves to the end of the trial
	Collection string
	Behavior   string        `json:"payment_behavior"`
	Due        money.Decimal `json:"amount_due"`
	Paid       bool
	PaidAt     *time.Time `json:"paid_at"`
}

func otherBehavior(c peercases.Case) bool {
	var in trialEndPaymentInput
	return json.Unmarshal(c.Input, &in) == nil && in.Behavior != "default_active"
}

// checkTrialEndPayment opens the first paid period, whatever becomes of its payment.
func checkTrialEndPayment(t *testing.T, in trialEndPaymentInput, want struct {
	Status  string
	Start   time.Time `json:"period_start"`
	Invoice string
}) {
	require.Contains(t, []string{"charge_automatically", "send_invoice"}, in.Collection, "which both bill alike")
	require.Equal(t, in.Paid, in.PaidAt != nil)
	require.True(t, in.PaidAt == nil || !in.PaidAt.Before(in.End))
	require.Equal(t, in.Start, in.Anchor)
	p := plan.Plan{
		Active: true, Currency: "USD", Interval: interval(t, in.Interval, 1),
		Prices: []plan.Price{plan.Flat("price_1", "", 1000)},
	}
	if in.Due.IsGiven() {
		due, err := in.Due.Round(p.Currency)
		require.NoError(t, err)
		p.Prices[0].Amount = due
	}
	facts := costing.Facts{Plan: p, ItemID: func(string) string { return "si_1" }}
	d, err := subscribing.With(subscribing.With(begun(t, p, in.trialWindow), facts).Itemized(), facts).OpenPeriod(in.End)
	require.NoError(t, err)
	require.Equal(t, want.Status, string(d.Subscription.Status))
	require.Equal(t, want.Start, d.Subscription.CurrentPeriod.Start)
	require.Equal(t, p.Prices[0].Amount > 0, len(d.Issue) == 1)
	require.Contains(t, []string{"", "open"}, want.Invoice)
}
