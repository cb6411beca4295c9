package subscriptions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/service/catalog"
	"perennial/service/servicetest"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// Every command that is previewed costs, ten minutes later and with the token, what the preview showed. Without the
// token, those that give time back or bill it would cost something else by then.
func TestPreview_TokenOfEveryCommand(t *testing.T) {
	t.Parallel()
	dearer := func(t *testing.T, h *columns, by usecase.Caller, s *scene.Scene) plan.Plan {
		t.Helper()
		p := s.Plan(t, scene.Monthly(9_000_000))
		var next plan.Plan
		_, err := h.Catalog.CreatePlanVersion(t.Context(), by, p.ID,
			catalog.NewPlanVersion{Prices: []plan.Price{scene.Monthly(12_000_000).Prices[0]}},
			func(_ *db.Tx, made plan.Plan) error { next = made; return nil })
		require.NoError(t, err)
		return next
	}
	for name, c := range map[string]struct {
		command lifecycle.Command
		before  lifecycle.Command
		differs bool // without a token
	}{
		"cancellation with refund": {lifecycle.Cancel{Immediate: true, RefundUnused: true}, nil, true},
		"cancellation":             {lifecycle.Cancel{}, nil, false},
		"reactivation":             {lifecycle.Reactivate{}, lifecycle.Cancel{}, false},
		"another anchor":           {lifecycle.MoveAnchor{}, nil, true},
		"another version":          {lifecycle.Migrate{Version: 2}, nil, true},
		"a version later":          {lifecycle.Migrate{Version: 2, AtPeriodEnd: true}, nil, false},
		"pause with credit":        {lifecycle.Pause{CreditUnused: true}, nil, true},
		"pause":                    {lifecycle.Pause{}, nil, false},
		"resumption":               {lifecycle.Resume{}, lifecycle.Pause{}, false},
		"coupon":                   {lifecycle.RedeemCoupon{Code: "TENTH"}, nil, false},
		"coupon removed":           {lifecycle.RemoveCoupon{}, lifecycle.RedeemCoupon{Code: "TENTH"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, customer, _ := pays(t, scene.Capture)
			svc, by := at(s)
			p := dearer(t, svc, by, s)
			first, err := s.Store.Catalog.PlanVersion(t.Context(), s.Env, plan.Ref{ID: p.ID, Version: 1})
			require.NoError(t, err)
			ref := s.Subscribe(t, customer, first)
			servicetest.Charge(t, s, ref)
			coupon, err := svc.Catalog.CreateCoupon(t.Context(), by, discount.Coupon{
				Code: "TENTH", Terms: discount.Terms{
					Discount: discount.Discount{Percent: money.Whole(10)}, Duration: discount.Forever,
				},
			}, nil)
			require.NoError(t, err)
			s.Clock.Add(10*24*time.Hour + 17*time.Second + 300*time.Millisecond)
			if c.before != nil {
				_, _, err := command(t, s, ref.ID, c.before)
				require.NoError(t, err)
				s.Clock.Add(time.Hour)
			}
			if _, removes := c.command.(lifecycle.RemoveCoupon); removes {
				c.command = lifecycle.RemoveCoupon{CouponID: coupon.ID}
			}
			in := Preview{Command: c.command}
			shown := svc.previewed(t, by, ref.ID, in)
			require.NotEmpty(t, shown.Token)

			s.Clock.Add(10 * time.Minute)
			if c.differs {
				require.NotEqual(t, shown.Quote, svc.previewed(t, by, ref.ID, in).Quote)
			}
			require.NoError(t, svc.PerformAsPreviewed(t.Context(), by, ref.ID, shown.Token, in,
				usecase.Around[usecase.Performed]{}))

			now, err := s.Store.SubscriptionState(t.Context(), s.Env, ref.ID)
			require.NoError(t, err)
			require.Equal(t, shown.Quote.Balance, now.Balance)
			require.Equal(t, shown.Quote.Status, now.Subscription.Status)
			var want []money.Minor
			for _, inv := range shown.Issued {
				want = append(want, inv.Total)
			}
			require.Subset(t, totals(t, s, ref), want)
			err = svc.PerformAsPreviewed(t.Context(), by, ref.ID, shown.Token, in, usecase.Around[usecase.Performed]{})
			require.True(t, fault.From(err).Refusal(), "once: %v", err)
			s.RequireSound(t)
		})
	}
}
