package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// preview returns the effects of a command.
func preview(l *life.Life, in subscriptions.Preview) (out subscriptions.Previewed) {
	l.T.Helper()
	svc := service.New(l.Store, l.Clock.Now).Subscriptions
	require.NoError(l.T, svc.PreviewSubscription(l.T.Context(), caller(l), l.Ref.ID, in, usecase.Around[subscriptions.Previewed]{
		After: func(_ *db.Tx, p subscriptions.Previewed) error { out = p; return nil },
	}))
	return out
}

func caller(l *life.Life) usecase.Caller {
	return usecase.Caller{Actor: db.BySystem("test"), EnvironmentID: l.Env}
}

// The next previewed invoice bills the usage recorded by now, and the one after it only the commitment. A cancellation
// shows its last invoice, and a change of plan the usage that it closes.
func TestPreview_IsWhatTheInvoicesBill(t *testing.T) {
	t.Parallel()
	s := scene.New(t, func(s *subscription.Settings) { s.InvoiceGraceMinutes = 60 })
	of := calls(t, s)
	p := metering(of)
	p.Metered.Commitment = &metered.Commitment{ID: p.Prices[0].ID + "c", Amount: 2000}
	l := life.Begin(t, s, p)
	l.Until(scene.Start.Add(10 * life.Day))
	used(l, "eu", 100, scene.Start.Add(life.Day))

	shown := preview(l, subscriptions.Preview{Invoices: 2})
	svc := service.New(l.Store, l.Clock.Now).Subscriptions
	ahead, err := svc.Outlook(t.Context(), caller(l), l.Ref.ID, 4)
	require.NoError(t, err)
	l.Until(scene.Start.AddDate(0, 2, 1))

	all := l.Invoices()
	require.Len(t, all, 3)
	for i, inv := range shown.Upcoming {
		require.Equal(t, amounts(all[i+1]), amounts(inv))
		require.Equal(t, all[i+1].Total, inv.Total)
		require.NotZero(t, inv.UsageUntil)
	}
	require.Equal(t, money.Minor(3000), all[1].Total)
	var estimated []money.Minor
	for _, e := range ahead.Expected {
		if e.Estimated {
			estimated = append(estimated, e.Amount)
		}
	}
	require.Equal(t, []money.Minor{3000}, estimated[:1])

	used(l, "us", 50, l.Clock.Now().Add(-life.Day/2))
	dearer := metering(of)
	dearer.Metered.Components[0].Rates[1].Price = perUnit("1")
	dearer = s.Plan(t, dearer)
	changed := preview(l, subscriptions.Preview{Change: &subscriptions.PlanChange{PlanID: dearer.ID}, Invoices: 1})
	require.Contains(t, amounts(changed.Upcoming[0]), "usage Plan – calls 50 × 0.02 = 100", "of the segment that it closes")

	ended := preview(l, subscriptions.Preview{Command: lifecycle.Cancel{Immediate: true}, Invoices: 1})
	require.Len(t, ended.Issued, 1)
	require.Equal(t, invoice.Usage, ended.Issued[0].Reason)
	require.Empty(t, ended.Upcoming)
	require.Len(t, l.Invoices(), 3, "a preview writes nothing")
	l.Command(life.CancelNow(""))
	l.Reload()
	l.Until(l.Clock.Now().Add(life.Day))
	all = l.Invoices()
	require.Len(t, all, 4)
	require.Equal(t, amounts(all[3]), amounts(ended.Issued[0]))
	require.Equal(t, all[3].Total, ended.Issued[0].Total)
	l.Sound()
}
