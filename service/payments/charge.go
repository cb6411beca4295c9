package payments

import (
	"context"
	"errors"

	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/text"
	"perennial/db"
	"perennial/service/usecase"
)

// NewCharge charges a customer without a subscription.
type NewCharge struct {
	CustomerID  string
	Amount      money.Minor
	Currency    money.Currency
	Description string
	// PaymentMethodID names one of the customer's; empty: the default.
	PaymentMethodID string
}

// ChargeCustomer creates a charge of its own: the pending row is the intent, and its workflow, started after the
// commit, carries it out. A charge that cannot be made is a failed one. Faults: those of text; customer_not_found,
// payment_method_not_found, amount_not_chargeable.
func (s *Service) ChargeCustomer(
	ctx context.Context, by usecase.Caller, in NewCharge, also usecase.Also[payment.Transaction],
) (payment.Transaction, error) {
	if err := text.Check("description", in.Description); err != nil {
		return payment.Transaction{}, err
	}
	c, err := usecase.Payer(ctx, s.Base, by, in.CustomerID)
	if err != nil {
		return payment.Transaction{}, err
	}
	// No provider is no error here: the charge is recorded as failed, as a charge by schedule is.
	_, err = s.Store.Payments.ProviderConfig(ctx, by.EnvironmentID)
	if err != nil && !errors.Is(err, db.ErrProviderConfigNotFound) {
		return payment.Transaction{}, err
	}
	hasProvider := err == nil
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (payment.Transaction, error) {
		now, err := usecase.LockClockOf(ctx, tx, by.EnvironmentID, c, s.Now())
		if err != nil {
			return payment.Transaction{}, err
		}
		// Read again under lock: no data of a customer who is being erased may be copied.
		c, err := usecase.LockCustomer(ctx, tx, by.EnvironmentID, c.ID)
		if err != nil {
			return payment.Transaction{}, usecase.InParam(err, "customerId")
		}
		if c, err = usecase.ChargedWith(ctx, tx.Reader, by.EnvironmentID, c, in.PaymentMethodID); err != nil {
			return payment.Transaction{}, err
		}
		limits, err := tx.Payments.AccountLimits(ctx, by.EnvironmentID, c.PaymentDetails.Provider, in.Currency)
		if err != nil {
			return payment.Transaction{}, err
		}
		state := usecase.StateOf(c, now)
		if hasProvider {
			state.Provider = &lifecycle.Provider{}
		}
		changes, err := lifecycle.ChargeCustomer(state, lifecycle.OwnCharge{
			Amount: in.Amount, Currency: in.Currency, Description: in.Description, Limits: limits,
		}, db.Moment(now, tx.Real))
		if err != nil {
			return payment.Transaction{}, err
		}
		return *changes.Made(changes.Attempt), tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes)
	})
}
