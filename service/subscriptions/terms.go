package subscriptions

import (
	"context"

	"perennial/billing/lifecycle"
	"perennial/billing/terms"
	"perennial/service/usecase"
)

// SetTerms performs the command SetTerms. Faults: those of Command and, for a change from sending to charging, those of
// customers.CheckRenewable.
func (s *Service) SetTerms(
	ctx context.Context, by usecase.Caller, subscriptionID string, cmd lifecycle.SetTerms,
	around usecase.Around[usecase.Performed],
) error {
	if err := s.checkTerms(ctx, by, subscriptionID, cmd); err != nil {
		return err
	}
	return s.Command(ctx, by, subscriptionID, cmd, around)
}

func (s *Service) checkTerms(
	ctx context.Context, by usecase.Caller, subscriptionID string, cmd lifecycle.SetTerms,
) error {
	if cmd.Method == nil || *cmd.Method != terms.Charge {
		return nil
	}
	return s.checkWillBeCharged(ctx, by, subscriptionID)
}

// checkWillBeCharged refuses charging for a subscription whose invoices were sent, which needed no check of the payment
// method, if the method could never pay for it. Faults: subscription_not_found, those of customers.CheckRenewable.
func (s *Service) checkWillBeCharged(ctx context.Context, by usecase.Caller, subscriptionID string) error {
	sub, err := s.Store.Subscriptions.Get(ctx, by.EnvironmentID, subscriptionID)
	if err != nil || sub.Bills().Charged() {
		return err
	}
	bills, err := s.presentBills(ctx, by, sub)
	if err != nil {
		return err
	}
	bills.Terms.Method = terms.Charge
	if !bills.AsksMethod() {
		return nil
	}
	return s.checkPayerOf(ctx, by, sub, "collectionMethod")
}
