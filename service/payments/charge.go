package payments

import (
	"context"
	"errors"

	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// NewCharge charges a customer beside any subscription.
type NewCharge struct {
	CustomerID  string
	Amount      money.Minor
	Currency    money.Currency
	Description string
}

// ChargeCustomer makes a charge of its own: the pending row is the intent, and its workflow, started after the commit,
// carries it out. A charge that cannot be made is a failed one. Faults: those of text; customer_not_found,
// amount_not_chargeable.
func (s *Service) ChargeCustomer(
	ctx context.Context, by usecase.Caller, in NewCharge, also usecase.Also[payment.Transaction],
) (payment.Transaction, error) {
	if err := usecase.CheckText("description", in.Description); err != nil {
		return payment.Transaction{}, err
	}
	c, err := usecase.Payer(ctx, s.Base, by, in.CustomerID)
	if err != nil {
		return payment.Transaction{}, err
	}
	// No provider is no error here: the charge is recorded as failed, as a charge by schedule is.
	_, err = s.Store.ProviderConfig(ctx, by.EnvironmentID)
	if err != nil && !errors.Is(err, db.ErrProviderConfigNotFound) {
		return payment.Transaction{}, err
	}
	hasProvider := err == nil
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (payment.Transaction, error) {
		now, err := usecase.LockClockOf(ctx, tx, by.EnvironmentID, c, s.Now())
		if err != nil {
			return payment.Transaction{}, err
		}
		// Read again under lock: nothing of a customer who is being erased may be copied.
		c, err := usecase.LockCustomer(ctx, tx, by.EnvironmentID, c.ID)
		if err != nil {
			return payment.Transaction{}, usecase.InParam(err, "customerId")
		}
		if err := checkChargeable(ctx, tx, by.EnvironmentID, c, in.Amount, in.Currency); err != nil {
			return payment.Transaction{}, err
		}
		txn := payment.NewCharge(payment.NewChargeInput{
			ID: id.New(id.Transaction, s.Now()), Customer: c, HasProvider: hasProvider,
			Amount: in.Amount, Currency: in.Currency, Description: in.Description, Trigger: collection.Manual, Due: now,
			Now: now, Real: tx.Real, Virtual: c.TestClockID != "",
		})
		if txn.Status == payment.Pending {
			tx.AfterCommit(db.StartPayment{EnvironmentID: by.EnvironmentID, ID: txn.ID})
		}
		return txn, insertCharge(ctx, tx, by.EnvironmentID, txn)
	})
}

func insertCharge(ctx context.Context, tx *db.Tx, environmentID string, txn payment.Transaction) error {
	if err := tx.InsertTransaction(ctx, environmentID, txn); err != nil {
		return err
	}
	return tx.Emit(ctx, environmentID, event.New(txn.Beginning(), txn.CreatedAt))
}

// checkChargeable refuses an amount that no account of the environment can ever charge: below the provider's minimum, or
// finer than it expresses amounts. An invoice carries such an amount to the next one; a charge of its own has none. What no
// account takes for another reason is left to the charge, which fails with the reason. Fault: amount_not_chargeable.
func checkChargeable(
	ctx context.Context, tx *db.Tx, environmentID string, c customer.Customer, amount money.Minor, currency money.Currency,
) error {
	limits, err := tx.AccountLimits(ctx, environmentID, c.PaymentDetails.Provider, currency)
	if err != nil {
		return err
	}
	for i, l := range limits {
		switch {
		case l.Unchargeable || l.Collectable(amount) == amount:
			return nil
		case i < len(limits)-1:
			continue
		}
		return fault.InvalidParam("amount", "amount_not_chargeable",
			"The payment provider charges %s from %d minor units on, in multiples of %d. Send such an amount.",
			currency, max(l.Minimum, l.Granularity, 1), max(l.Granularity, 1))
	}
	return nil
}
