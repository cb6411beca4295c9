package subscriptions

import (
	"context"

	"perennial/billing/lifecycle"
	"perennial/service/usecase"
)

// SetPaymentMethod names the payment method that a subscription is charged with; empty: the customer's default. Faults:
// payment_method_not_found, those of Command and, unless its invoices are sent, of customers.CheckRenewable.
func (s *Service) SetPaymentMethod(
	ctx context.Context, by usecase.Caller, subscriptionID, methodID string,
	around usecase.Around[usecase.Performed],
) error {
	sub, err := s.Store.Subscriptions.Get(ctx, by.EnvironmentID, subscriptionID)
	if err != nil {
		return err
	}
	bills, err := s.presentBills(ctx, by, sub)
	if err != nil {
		return err
	}
	sub.PaymentMethodID = methodID
	if methodID != "" && bills.AsksMethod() {
		if err := s.checkPayerOf(ctx, by, sub, "paymentMethodId"); err != nil {
			return err
		}
	}
	return s.Command(ctx, by, subscriptionID, lifecycle.SetPaymentMethod{MethodID: methodID}, around)
}
