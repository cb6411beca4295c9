package usecase

import (
	"context"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/db"
)

// ChargedWith returns the customer with the payment method that a request names in `paymentMethodId`; empty: the
// default. Within a transaction the caller holds the customer's lock. Fault: payment_method_not_found, also for another
// customer's.
func ChargedWith(
	ctx context.Context, r db.Reader, environmentID string, c customer.Customer, methodID string,
) (customer.Customer, error) {
	if methodID == "" {
		return c, nil
	}
	methods, err := r.Customers.AllPaymentMethods(ctx, environmentID, c.ID)
	if err != nil {
		return c, err
	}
	if payer, _ := c.Charged(methods, methodID); payer.PaymentMethodID == methodID {
		return payer, nil
	}
	return c, fault.From(db.ErrPaymentMethodNotFound).In("paymentMethodId")
}
