package subscription

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
)

func TestChangePlan_NoCreditForUnbilledTime(t *testing.T) {
	t.Parallel()
	s, f, _ := inStatus(Active)
	f.Open = nil

	d, err := s.ChangePlan(f, pro, false, s.CurrentPeriod.Start)

	require.NoError(t, err)
	require.Len(t, d.Issue[0].Lines, 1)
	require.Equal(t, invoice.ProrationCharge, d.Issue[0].Lines[0].Kind)
}

// What was credited before is not credited again.
func TestChangePlan_CreditIsAtMostBilled(t *testing.T) {
	t.Parallel()
	for credited, want := range map[money.Minor]money.Minor{0: 1000, 800: 200, 1000: 0, 1050: 0} {
		s, f, _ := inStatus(Active)
		paid := f.Open[0]
		paid.Lines = append(paid.Lines, invoice.Line{
			Kind: invoice.ProrationCredit, PlanID: team.ID, Amount: -credited, Period: s.CurrentPeriod,
		})
		f.Open, f.Paid = nil, []invoice.Invoice{paid}

		d, err := s.ChangePlan(f, pro, false, s.CurrentPeriod.Start)

		require.NoError(t, err)
		var credit money.Minor
		for _, l := range d.Issue[0].Lines {
			if l.Kind == invoice.ProrationCredit {
				credit -= l.Amount
			}
		}
		require.Equal(t, want, credit, "credited before: %d", credited)
	}
}

// A charge that rounds to nothing is still a bill, or else recovery would charge for the whole period.
func TestChangePlan_ChargeOfZeroIsAnInvoice(t *testing.T) {
	t.Parallel()
	cent := plan.Plan{ID: "plan_cent", Name: "Cent", Currency: "EUR", Interval: month, Active: true, Prices: prices(1)}
	s, f, now := inStatus(Active)
	f.Plan, f.Open = free, nil
	s.PlanID = free.ID

	d, err := s.ChangePlan(f, cent, false, now)

	require.NoError(t, err)
	require.Len(t, d.Issue, 1)
	out, err := d.Issue[0].Issue(invoice.Issuing{Now: now})
	require.NoError(t, err)
	require.Empty(t, out.Credit)
	require.Zero(t, out.Invoice.Total)
	require.Equal(t, invoice.Paid, out.Invoice.Status)
}

// The boundary has passed but is not opened yet: the period that is over was skipped, the renewal bills the next.
func TestSettled_AfterPeriodEndIssuesNothing(t *testing.T) {
	t.Parallel()
	s, f, _ := inStatus(PastDue)
	f.Open = nil
	paid := invoice.Invoice{ID: "in_0", Status: invoice.Paid}
	for at, want := range map[time.Time]int{s.CurrentPeriod.End.Add(-1): 1, s.CurrentPeriod.End: 0} {
		d, err := s.Settled(f, paid, at)
		require.NoError(t, err)
		require.Equal(t, Active, d.Subscription.Status)
		require.Len(t, d.Issue, want)
	}
}
