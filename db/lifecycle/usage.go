package lifecycle

import (
	"context"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/subscription"
	"perennial/db/catalog"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// UsageBilled reads the charges of all invoices for the segments that start at a time or later, and their lines on paid
// or open invoices. The lock of the subscription keeps both unchanged.
func (tx *Tx) UsageBilled(
	ctx context.Context, environmentID, subscriptionID string, from time.Time,
) (billed []metered.Charge, kept []invoice.OnInvoice, err error) {
	if billed, err = tx.subscriptions.UsageBilled(ctx, environmentID, subscriptionID, from); err != nil {
		return nil, nil, err
	}
	kept, err = tx.invoices.UsageLines(ctx, environmentID, subscriptionID, from)
	return billed, kept, err
}

// writeUsage writes the closed segments and crossed thresholds of a decision, and the usage that its invoices bill.
func (tx *Tx) writeUsage(
	ctx context.Context, environmentID string, of subscription.Subscription, c lifecycle.Changes,
) error {
	for _, s := range c.Segments {
		err := core.Queries.UsageSegmentInsert(ctx, tx.Pipe, dbsqlc.UsageSegmentInsertParams{
			EnvironmentID: environmentID, SubscriptionID: of.ID, StartedAt: s.Start, EndedAt: s.End,
			PeriodIndex: s.PeriodIndex, PlanID: catalog.VersionID(s.Plan), ShareFrom: s.Share.From, ShareTo: s.Share.To,
			ShareLength: s.Share.Length, ShareMeasure: string(s.Measure), PeriodSeconds: int64(s.PeriodLength / time.Second),
			Discounts: core.NullList(s.Discounts), Quantity: &s.Quantity, AddOns: core.NullList(s.AddOns),
		})
		if err != nil {
			return err
		}
	}
	for _, crossed := range c.Crossings {
		err := core.Queries.UsageCrossingInsert(ctx, tx.Pipe, dbsqlc.UsageCrossingInsertParams{
			EnvironmentID: environmentID, SubscriptionID: of.ID, PeriodIndex: crossed.PeriodIndex,
			Threshold: crossed.Threshold.Key(), CrossedAt: c.At, InvoiceID: core.Null(crossed.InvoiceID),
		})
		if err != nil {
			return err
		}
	}
	for _, billed := range c.Usage {
		if len(billed.Charges) == 0 {
			continue
		}
		in := dbsqlc.UsageChargeInsertParams{
			EnvironmentID: environmentID, SubscriptionID: of.ID, InvoiceID: billed.InvoiceID,
		}
		for _, charge := range billed.Charges {
			in.SegmentStarts = append(in.SegmentStarts, time.UnixMicro(charge.Segment).UTC())
			in.PriceIds, in.Rates = append(in.PriceIds, charge.PriceID), append(in.Rates, charge.Lot.Rate)
			in.Dimensions = append(in.Dimensions, string(charge.Lot.By))
			in.Quantities = append(in.Quantities, charge.Quantity.String())
			in.Amounts = append(in.Amounts, int64(charge.Amount))
		}
		if err := core.Queries.UsageChargeInsert(ctx, tx.Pipe, in); err != nil {
			return err
		}
	}
	return nil
}

// askThresholds marks a subscription whose recorded usage may have reached a threshold.
func (tx *Tx) askThresholds(ctx context.Context, environmentID, subscriptionID string) error {
	return core.Queries.UsageTouch(ctx, tx.Pipe, dbsqlc.UsageTouchParams{
		EnvironmentID: environmentID, Ids: []string{subscriptionID},
	})
}
