package subscriptions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/foresight"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/contract"
	"perennial/db"
	"perennial/service/catalog"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func (s *Service) previewed(t *testing.T, by usecase.Caller, id string, in Preview) Previewed {
	t.Helper()
	var out Previewed
	require.NoError(t, s.PreviewSubscription(t.Context(), by, id, in, usecase.Around[Previewed]{
		After: func(_ *db.Tx, p Previewed) error { out = p; return nil },
	}))
	return out
}

// The charged price equals the shown one, though the change comes ten minutes later.
func TestPreview_TokenMakesTheChangeAtItsCost(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	s.Clock.Add(10*24*time.Hour + 17*time.Second)
	dearer := s.Plan(t, scene.Monthly(7_000_000))
	in := Preview{Change: &PlanChange{PlanID: dearer.ID}, Invoices: 2}

	shown := svc.previewed(t, by, ref.ID, in)

	require.Len(t, shown.Issued, 1)
	require.Len(t, shown.Upcoming, 2)
	require.EqualValues(t, 7_000_000, shown.Upcoming[0].Total)
	require.Equal(t, s.Clock.Now().Truncate(time.Second).Add(30*time.Minute), shown.ExpiresAt())
	require.Len(t, totals(t, s, ref), 1, "nothing was written")
	s.Clock.Add(10 * time.Minute)
	now := svc.previewed(t, by, ref.ID, in)
	require.Less(t, now.Issued[0].Total, shown.Issued[0].Total, "the rest of the period is shorter")

	require.NoError(t, svc.PerformAsPreviewed(t.Context(), by, ref.ID, shown.Token, in,
		usecase.Around[usecase.Performed]{}))

	require.Contains(t, totals(t, s, ref), shown.Issued[0].Total)
	err := svc.PerformAsPreviewed(t.Context(), by, ref.ID, shown.Token, in, usecase.Around[usecase.Performed]{})
	require.Equal(t, "plan_unchanged", fault.From(err).Code, "it was made")
}

func totals(t *testing.T, s *scene.Scene, ref contract.Ref) (all []money.Minor) {
	t.Helper()
	rows, _, err := s.Store.Invoices.List(t.Context(), s.Env, db.InvoiceFilter{SubscriptionID: ref.ID},
		db.Page{Limit: 100, Unsettled: true})
	require.NoError(t, err)
	for _, inv := range rows {
		all = append(all, inv.Total)
	}
	return all
}

func TestPreview_TokenIsRefused(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	trial := scene.Monthly(1000)
	trial.TrialDays = 14
	other := s.Subscribe(t, s.Customer(t, ""), s.Plan(t, trial))
	s.Clock.Add(24 * time.Hour)
	change := Preview{Change: &PlanChange{PlanID: s.Plan(t, scene.Monthly(5000)).ID}}
	apply := func(id, token string, c PlanChange) string {
		return fault.From(svc.PerformAsPreviewed(t.Context(), by, id, token, Preview{Change: &c}, usecase.Around[usecase.Performed]{})).Code
	}
	token := svc.previewed(t, by, ref.ID, change).Token

	require.Equal(t, "preview_token_invalid", apply(ref.ID, "abc", *change.Change))
	require.Equal(t, "preview_outdated", apply(other.ID, token, *change.Change), "of another subscription")
	another := PlanChange{PlanID: s.Plan(t, scene.Monthly(9000)).ID}
	require.Equal(t, "preview_outdated", apply(ref.ID, token, another), "another change does not cost the same")
	later := Preview{Change: &PlanChange{Quantity: 5, AtPeriodEnd: true}}
	require.Equal(t, "preview_outdated",
		apply(ref.ID, svc.previewed(t, by, ref.ID, later).Token, PlanChange{Quantity: 50, AtPeriodEnd: true}), "another quantity")
	for _, what := range []lifecycle.Command{lifecycle.Cancel{}, lifecycle.Cancel{Immediate: true}, lifecycle.Pause{}} {
		in := Preview{Command: what}
		of := svc.previewed(t, by, ref.ID, in).Token
		for _, other := range []lifecycle.Command{lifecycle.Cancel{}, lifecycle.Cancel{Immediate: true}, lifecycle.Pause{}} {
			if other != what {
				err := svc.PerformAsPreviewed(t.Context(), by, ref.ID, of, Preview{Command: other}, usecase.Around[usecase.Performed]{})
				require.Equal(t, "preview_outdated", fault.From(err).Code, "%T costs as much as %T, and is another", other, what)
			}
		}
	}
	s.Clock.Add(31 * time.Minute)
	require.Equal(t, "preview_outdated", apply(ref.ID, token, *change.Change), "expired")
	require.Empty(t, svc.previewed(t, by, ref.ID, Preview{Command: lifecycle.Cancel{}, Invoices: 3}).Upcoming,
		"a canceled subscription bills nothing more")
}

// A preview of a new subscription has all its invoices, and leaves no subscription.
func TestPreviewNewSubscription_LeavesNothing(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	c, p := s.Customer(t, ""), s.Plan(t, scene.Monthly(1900))
	days := 14
	var shown Previewed

	err := svc.PreviewNewSubscription(t.Context(), by,
		NewSubscription{CustomerID: c.ID, PlanID: p.ID, Wishes: subscribing.NewInput{TrialDays: &days}}, 2,
		usecase.Around[Previewed]{After: func(_ *db.Tx, p Previewed) error { shown = p; return nil }})

	require.NoError(t, err)
	require.Len(t, shown.Upcoming, 2)
	require.Equal(t, shown.State.Subscription.TrialEndsAt, shown.Upcoming[0].IssuedAt)
	require.Empty(t, shown.Token)
	rows, _, err := s.Store.Subscriptions.List(t.Context(), s.Env, db.SubscriptionFilter{},
		db.Page{Limit: 10, Unsettled: true})
	require.NoError(t, err)
	require.Empty(t, rows)
	err = svc.PreviewNewSubscription(t.Context(), by, NewSubscription{CustomerID: c.ID, PlanID: "plan_x"}, 2,
		usecase.Around[Previewed]{})
	require.Equal(t, "plan_not_found", fault.From(err).Code)
}

// A token fixes the version of the plan too, though a trial charges nothing now.
func TestPreview_TokenHoldsTheVersion(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	trial := scene.Monthly(1000)
	trial.TrialDays = 14
	ref := s.Subscribe(t, s.Customer(t, ""), s.Plan(t, trial))
	to := s.Plan(t, scene.Monthly(1900))
	in := Preview{Change: &PlanChange{PlanID: to.ID}}
	shown := svc.previewed(t, by, ref.ID, in)
	_, err := svc.Catalog.CreatePlanVersion(t.Context(), by, to.ID,
		catalog.NewPlanVersion{Prices: []plan.Price{plan.Flat("", "", 4900)}}, nil)
	require.NoError(t, err)

	err = svc.PerformAsPreviewed(t.Context(), by, ref.ID, shown.Token, in, usecase.Around[usecase.Performed]{})

	require.ErrorIs(t, err, foresight.ErrPreviewOutdated)
}
