package rating_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// The invoice of a period with half off is voided before the usage of the period is billed. Usage that costs something
// has the half then; if there is none, the next period has it.
func TestVoid_CouponOfAPeriodWhoseUsageIsNotBilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		units             int64
		usage, nextPeriod money.Minor // what the coupon takes off
	}{
		"usage that costs something": {100, 250, 0},
		"no usage":                   {0, 0, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scene.New(t, func(s *subscription.Settings) { s.InvoiceGraceMinutes = 60 })
			l := life.Begin(t, s, metering(calls(t, s)))
			send, days := terms.Send, 90
			life.Perform(t, s, l.Ref, lifecycle.SetTerms{Method: &send, NetDays: &days})
			half := discount.Coupon{
				ID: id.New(id.Coupon, scene.Start), Code: "HALF", Name: "Half", Active: true, CreatedAt: scene.Start,
				Terms: discount.Terms{Discount: discount.Discount{Percent: perUnit("50").UnitPrice}, Duration: discount.Once},
			}
			s.InTx(t, func(tx *db.Tx) error { return tx.Catalog.InsertCoupon(t.Context(), s.Env, half) })
			life.Perform(t, s, l.Ref, lifecycle.RedeemCoupon{Code: half.Code})
			l.Until(scene.Start.AddDate(0, 1, 1))
			if c.units > 0 {
				used(l, "eu", c.units, l.Clock.Now().Add(-time.Hour))
			}
			l.Until(scene.Start.AddDate(0, 2, 0).Add(time.Minute))
			all := l.Invoices()
			discounted := slices.IndexFunc(all, func(inv invoice.Invoice) bool { return inv.Discount == 500 })
			require.GreaterOrEqual(t, discounted, 0, all)

			svc := service.New(l.Store, l.Clock.Now).Invoices
			require.NoError(t, svc.VoidInvoice(t.Context(), caller(l), all[discounted].ID, usecase.Around[invoice.Invoice]{}))
			l.Until(scene.Start.AddDate(0, 4, 1))

			off := map[invoice.LineKind]money.Minor{}
			for _, inv := range l.Invoices() {
				if inv.Status == invoice.Void {
					continue
				}
				for _, line := range inv.Lines {
					off[line.Kind] += line.Discounts.Sum()
				}
			}
			require.Equal(t, c.usage, off[invoice.Metered])
			require.Equal(t, c.nextPeriod, off[invoice.Recurring])
			l.Sound()
		})
	}
}
