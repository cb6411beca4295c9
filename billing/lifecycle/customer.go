package lifecycle

import (
	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// The decisions about a customer apart from subscriptions and invoices. The State is the customer's in a Currency.

// OwnCharge is a charge without an invoice.
type OwnCharge struct {
	Amount      money.Minor
	Currency    money.Currency
	Description string
	Limits      []money.Limits // of the accounts that may take it
}

// ChargeCustomer creates a customer's own charge: Changes.Attempt. A charge that is impossible has failed. Fault:
// amount_not_chargeable.
func ChargeCustomer(s State, c OwnCharge, at Moment) (Changes, error) {
	if err := money.CheckChargeable(c.Amount, c.Currency, c.Limits); err != nil {
		return Changes{}, err
	}
	d := Begin(s, at)
	txn := payment.NewCharge(payment.NewChargeInput{
		ID: d.IDs.Transaction(d.Real), Customer: d.Customer, HasProvider: d.Provider != nil,
		Amount: c.Amount, Currency: c.Currency, Description: c.Description, Trigger: collection.Manual, Due: d.Now,
		Now: d.Now, Real: d.Real, Virtual: !d.ClockNow.IsZero(),
	})
	d.Changes.Attempt = txn.ID
	d.Changes.NewTransactions = append(d.Changes.NewTransactions, txn)
	if txn.Status == payment.Pending {
		d.owner().made(d, txn)
	}
	d.Announce(txn.Beginning())
	return d.Changes, nil
}

// Adjustment is a person's entry in the ledger of a customer.
type Adjustment struct {
	ID     string
	Amount money.Minor
	Note   string
	Reason invoice.CreditReason // set by the decision
	After  money.Minor          // the balance after it, with grants
}

// AdjustBalance gives the customer an amount, or takes it, also below zero. granted is the rest of the customer's
// grants, which do not change. Faults: those of balance.Adjusted.
func AdjustBalance(s State, granted money.Minor, a Adjustment, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	plain, err := balance.Adjusted(d.Balance, a.Amount)
	if err != nil {
		return State{}, Changes{}, err
	}
	d.Balance, a.Reason, a.After = plain, invoice.CreditAdjusted, plain+granted
	d.Changes.Adjustments = append(d.Changes.Adjustments, a)
	d.Announce(event.BalanceAdjusted{
		ID: a.ID, CustomerID: d.Customer.ID, Amount: int64(a.Amount), Currency: string(d.Currency), Balance: int64(a.After),
	})
	return d.State, d.Changes, nil
}

// GrantCredit gives the customer a grant: Changes.NewGrants has it with all fields. granted is the rest of earlier
// grants in the currency, and usable the number of those with a rest. Faults: those of balance.Grant.Check;
// amount_too_large where the sum would exceed the largest amount; credit_grants_too_many.
func GrantCredit(s State, granted money.Minor, usable int, g balance.Grant, at Moment) (Changes, error) {
	d := Begin(s, at)
	g.CustomerID, g.TestClockID, g.GivenAt, g.Left = d.Customer.ID, d.Customer.TestClockID, d.Now, g.Amount
	if err := g.Check(); err != nil {
		return Changes{}, err
	}
	if _, err := money.Sum(max(d.Balance, 0), granted, g.Amount); err != nil {
		return Changes{}, fault.From(err).In("amount")
	}
	if usable >= balance.MaxUsable {
		return Changes{}, balance.ErrTooMany
	}
	d.Changes.NewGrants = append(d.Changes.NewGrants, g)
	d.Announce(event.CreditGrantCreated{CreditGrant: g.Announced()})
	return d.Changes, nil
}

// EndedGrant is a grant that ended and has no rest.
type EndedGrant struct {
	balance.Grant
	Taken  money.Minor // the rest that it had
	Reason invoice.CreditReason
}

// VoidGrant removes the rest of a grant. Payments of invoices with it stay. Faults: credit_grant_voided,
// credit_grant_expired.
func VoidGrant(s State, g balance.Grant, at Moment) (Changes, error) {
	d := Begin(s, at)
	g, left, err := g.Void(d.Now)
	if err != nil {
		return Changes{}, err
	}
	d.Changes.EndedGrants = append(d.Changes.EndedGrants, EndedGrant{g, left, invoice.CreditVoided})
	d.Announce(event.CreditGrantVoided{CreditGrant: g.Announced(), AmountVoided: int64(left)})
	return d.Changes, nil
}

// EndGrant removes the rest of a grant that has ended, and announces an expired one. Without a rest nothing changes.
func EndGrant(s State, g balance.Grant, at Moment) Changes {
	d := Begin(s, at)
	g, left := g.End(d.Now)
	if left == 0 {
		return d.Changes
	}
	if !g.VoidedAt.IsZero() { // an invoice that had used it was voided later
		d.Changes.EndedGrants = append(d.Changes.EndedGrants, EndedGrant{g, left, invoice.CreditVoided})
		return d.Changes
	}
	d.Changes.EndedGrants = append(d.Changes.EndedGrants, EndedGrant{g, left, invoice.CreditExpired})
	if d.Customer.ErasedAt.IsZero() { // otherwise the event would have no reader
		d.Announce(event.CreditGrantExpired{CreditGrant: g.Announced(), AmountExpired: int64(left)})
	}
	return d.Changes
}
