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

// methodNamed returns the payment method that an id stands for; empty: the customer's default. It reads the customer
// anew, since a State has the method that the subscription names in place of the default. Fault:
// payment_method_not_found.
func methodNamed(
	ctx context.Context, tx *db.Tx, environmentID, customerID, methodID string,
) (customer.Method, error) {
	payer, err := tx.Customers.Get(ctx, environmentID, customerID)
	if err != nil {
		return customer.Method{}, err
	}
	payer, err = ChargedWith(ctx, tx.Reader, environmentID, payer, methodID)
	return payer.Method(), err
}
