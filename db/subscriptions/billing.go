package subscriptions

import (
	"context"

	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/db/catalog"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// MethodUse are the subscriptions that charge a payment method: those that name it and, where it is their customer's
// default, those that name none.
type MethodUse struct {
	MethodID  string
	ByDefault bool
}

// Billings lists the present and pending charges of a customer's subscriptions that have not ended, by their
// currencies. Subscriptions with the same terms share one, which has each of their plans and add-ons once. Fees do not
// count.
func (r Reader) Billings(
	ctx context.Context, environmentID, customerID string, use MethodUse,
) (billings []subscription.Billing, _ error) {
	rows, err := core.Queries.SubscriptionListBillings(ctx, r.Handle,
		dbsqlc.SubscriptionListBillingsParams{
			EnvironmentID: environmentID, CustomerID: customerID, PaymentMethodID: core.Null(use.MethodID),
			ByDefault: use.ByDefault,
		})
	for i, row := range rows {
		was := rows[max(i-1, 0)]
		method := core.Value(row.CollectionMethod)
		same := i > 0 && row.Currency == was.Currency && method == core.Value(was.CollectionMethod) &&
			row.CancelAtPeriodEnd == was.CancelAtPeriodEnd
		if !same {
			billings = append(billings, subscription.Billing{
				Currency: row.Currency, Terms: terms.Terms{Method: terms.Method(method)}, Ends: row.CancelAtPeriodEnd,
			})
		}
		b := &billings[len(billings)-1]
		if !same || row.Plan.ID != was.Plan.ID {
			b.Plans = append(b.Plans, catalog.PlanFromDB(row.Plan))
		}
		p := &b.Plans[len(b.Plans)-1]
		p.Prices = append(p.Prices, catalog.PriceFromDB(row.Price))
	}
	return billings, core.Translate("SubscriptionListBillings", err)
}
