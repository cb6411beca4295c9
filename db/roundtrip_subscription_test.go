package db_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/internal/id"
)

// The states that the schema lets in, one after the other. TestEveryField_Subscription has every field.
func TestSubscriptionRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.store.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)
	require.NoError(t, err)
	require.Equal(t, b.subscription, got)

	other, later, inv := newPlan(), b.nextVersion(t, b.plan, wall), b.invoice()
	other.Version = 3
	want := b.subscription
	trial := want
	trial.Status, trial.TrialNoticeAt, trial.NextAction = subscription.Trialing, now.Add(time.Minute),
		subscription.ActionTrialNotice
	owing := want
	owing.Status, owing.PastDueAt, owing.Revision = subscription.PastDue, now.Add(time.Minute), 2
	owing.CollectionPausedAt = now.Add(2 * time.Minute)
	halted := want
	halted.Status, halted.PausedAt, halted.ResumesAt = subscription.Paused, now.Add(time.Minute), now.Add(2*time.Minute)
	halted.PauseReason, halted.NextAction, halted.Revision = subscription.PauseNoMethod, subscription.ActionResume, 2
	owing.Revision = 3
	for _, state := range []subscription.Subscription{trial, halted, owing} {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			locked(ctx, t, b, tx)
			require.NoError(t, tx.Subscriptions.Save(ctx, b.env, state))
		})
		got, err = b.store.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)
		require.NoError(t, err)
		state.Revision++
		require.Equal(t, state, got)
	}
	want.Revision, owing.Revision = 4, 4
	want.PlanID, want.PendingPlanID, want.Status = other.ID, b.plan.ID, subscription.Canceled
	want.PlanVersion, want.PendingPlanVersion = other.Version, later.Version
	want.AnchorAt, want.TrialEndsAt, want.PaidThrough = now.Add(1*time.Hour), now.Add(2*time.Hour), now.Add(3*time.Hour)
	want.ActivatedAt, want.CanceledAt, want.MethodChangedAt = now.Add(4*time.Hour), now.Add(5*time.Hour),
		now.Add(6*time.Hour)
	want.NextActionAt, want.FinishedAt = now.Add(7*time.Hour), now.Add(8*time.Hour)
	want.CurrentPeriod.Start, want.CurrentPeriod.End = now.Add(9*time.Hour), now.Add(10*time.Hour)
	want.Interval.Unit, want.Interval.Count, want.NextPeriod = "week", 2, 5
	want.CancelAtPeriodEnd, want.CancelReason, want.CollectingInvoiceID = true, "too dear", inv.ID
	want.Metadata, want.NextAction = metadata.Pairs{"seat": json.Number("12345678901234567890")}, subscription.ActionCancel
	want.RenewedFrom, want.UpdatedAt = now.Add(11*time.Hour), now.Add(12*time.Hour)
	want.Quantity, want.PendingQuantity = 3, 4
	want.Terms = terms.Terms{Method: terms.Send, NetDays: 14}
	want.AddOns = subscription.AddOns{{Ref: later.Ref(), Quantity: 5}}
	want.PendingAddOns = &subscription.AddOns{{Ref: b.plan.Ref(), Quantity: 6}, {Ref: later.Ref(), Quantity: 1}}
	want.Scheduled = subscription.ScheduledChanges{
		{ID: "chg_1", At: now.Add(14 * time.Hour), Plan: later.Ref(), Quantity: 7, AddOns: &want.AddOns,
			Proration: subscription.NextInvoice},
		{ID: "chg_2", At: now.Add(15 * time.Hour), Quantity: 8},
		{ID: "chg_3", At: now.Add(16 * time.Hour), AddOns: &subscription.AddOns{}}, // all go
	}
	want.PendingChange = &subscription.PendingChange{
		ScheduledChange: subscription.ScheduledChange{ID: "chg_4", At: now, Plan: later.Ref(), Quantity: 9, AddOns: &want.AddOns},
		InvoiceID:       inv.ID, Until: now.Add(17 * time.Hour),
	}
	want.AttemptsOnce = true
	want.PaidFor = &subscription.PaidFor{Plan: later.Ref(), Quantity: 2, AddOns: want.AddOns, PeriodIndex: 8}
	want.ProrationMeasure, want.UnproratedIndex, want.FreeIndex = proration.Fixed30, 6, 7
	want.PendingLines = []invoice.Line{{
		ID: "pending_0", Kind: invoice.ProrationCharge, Description: "Remaining time on Pro", PlanID: other.ID,
		PriceID: other.Prices[0].ID, ItemID: b.itemID(0), PeriodIndex: 6, Quantity: "3", UnitPrice: "1.50",
		Reverses: "il_1", Amount: -1250, Period: want.CurrentPeriod,
		TaxCategory: "books", Rates: []tax.Rate{{ID: "txr_1", Name: "VAT", Percent: money.Whole(19), Inclusive: true}},
	}}
	want.PendingLines[0].Discounts = invoice.Shares{{CouponID: "coup_1", Code: "WELCOME", Amount: 7}}
	want.PendingLines[0].Explanation = &invoice.Explanation{
		Steps: []invoice.Step{{Kind: rating.Units, Tier: 2, Quantity: "3", UnitPrice: "1.50", Amount: "4.5"}},
		Part: &invoice.Part{
			Of: invoice.DividedPeriod, Whole: 450, Measure: proration.Fixed30, From: 3, To: 30, Length: 30,
		},
		Limit: &invoice.Limit{Amount: 400, Reason: invoice.LimitBilled},
	}
	want.RemindedFor, want.PeriodIndex, want.RenewedIndex, want.PaidElsewhereIndex = now.Add(13*time.Hour), 8, 7, 5
	want.Discounts = subscription.Discounts{{CouponID: "coup_1", Code: "WELCOME",
		Terms: aCoupon("coup_1", "WELCOME").Terms, From: 8, RedeemedAt: now}}
	want.EndedDiscounts = subscription.Discounts{{CouponID: "coup_2", Code: "ENDED",
		Terms: aCoupon("coup_2", "ENDED").Terms, From: 3, RedeemedAt: now}}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, other))
		require.Equal(t, owing, locked(ctx, t, b, tx))
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, want))
		require.NoError(t, tx.Invoices.Insert(ctx, b.env, inv), "the invoice may come after what refers to it")
	})
	want.Revision = 5
	got, err = b.store.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)

	again := want
	again.ID, again.Revision, again.CreatedAt = id.New(id.Subscription, wall), 1, now.Add(time.Minute)
	again.UpdatedAt, again.MethodChangedAt = again.CreatedAt, time.Time{}
	again.Items = []subscription.Item{
		{ID: id.New(id.SubscriptionItem, wall), PriceID: other.Prices[1].ID, Quantity: 1},
		{ID: id.New(id.SubscriptionItem, wall), PriceID: other.Prices[0].ID, Quantity: 3, Joined: 4},
	}
	halted.ID, halted.Items, halted.Revision, halted.UpdatedAt = id.New(id.Subscription, wall), nil, 1, halted.CreatedAt
	for _, made := range []subscription.Subscription{again, halted} {
		b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, made)) })
		got, err = b.store.Subscriptions.Get(t.Context(), b.env, made.ID)
		require.NoError(t, err)
		require.Equal(t, made, got)
	}

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Subscriptions.Save(ctx, b.env, b.subscription) })
	requireFault(t, err, fault.Unavailable, "subscription_changed")
}
