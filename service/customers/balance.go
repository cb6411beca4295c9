package customers

import (
	"context"
	"time"

	"perennial/billing/customer"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// BalanceAdjustment gives a customer credit, or takes it, also below zero.
type BalanceAdjustment struct {
	CustomerID string
	Currency   money.Currency
	Amount     money.Minor
	Note       string // for people; may be empty
}

// AdjustBalance writes an entry into a customer's ledger that belongs to no invoice. The next invoice in the currency
// uses added credit, and collects a plain balance below zero. Grants do not change. Faults: customer_not_found,
// test_clock_advancing, text_blank, text_invalid, card_number_refused, those of balance.Adjusted.
func (s *Service) AdjustBalance(
	ctx context.Context, by usecase.Caller, in BalanceAdjustment, around usecase.Around[db.BalanceEntry],
) error {
	if err := text.Check("note", in.Note); err != nil {
		return err
	}
	c, err := usecase.Payer(ctx, s.Base, by, in.CustomerID)
	if err != nil {
		return err
	}
	return onBalance(ctx, s, by, c, in.Currency, around, func(
		tx *db.Tx, state lifecycle.State, granted money.Minor, now time.Time,
	) (entry db.BalanceEntry, err error) {
		state, changes, err := lifecycle.AdjustBalance(state, granted, lifecycle.Adjustment{
			ID: id.New(id.Credit, tx.Real), Amount: in.Amount, Note: in.Note,
		}, db.Moment(now, tx.Real))
		if err != nil {
			return entry, err
		}
		made := changes.Adjustments[0]
		return db.BalanceEntry{
			ID: made.ID, CustomerID: c.ID, Currency: in.Currency, Amount: made.Amount, Reason: made.Reason,
			Note: made.Note, After: made.After, CreatedAt: changes.At,
		}, tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes)
	})
}

// onBalance calls do under the locks of the customer's clock, the customer and the balance, in the common order of
// locks. do gets the customer's state, the rest of the grants, and the customer's time. Faults: customer_not_found,
// test_clock_advancing.
func onBalance[R any](
	ctx context.Context, s *Service, by usecase.Caller, c customer.Customer, currency money.Currency,
	around usecase.Around[R],
	do func(tx *db.Tx, state lifecycle.State, granted money.Minor, now time.Time) (R, error),
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (none R, err error) {
		now, err := usecase.LockClockOf(ctx, tx, by.EnvironmentID, c, s.Now())
		if err != nil {
			return none, err
		}
		c, err := usecase.LockCustomer(ctx, tx, by.EnvironmentID, c.ID)
		if err != nil {
			return none, err
		}
		was, err := tx.Customers.LockBalance(ctx, by.EnvironmentID, c.ID, currency)
		if err != nil {
			return none, err
		}
		state := usecase.StateOf(c, now)
		state.Currency, state.Balance = currency, was.Balance
		return do(tx, state, was.Granted, now)
	})
}
