package event

// TypeBalanceAdjusted is the type about balances.
const TypeBalanceAdjusted Type = "balance.adjusted"

// BalanceAdjusted means that a person or an app gave a customer credit, or took some, without an invoice.
type BalanceAdjusted struct {
	ID         string `json:"id" doc:"The entry of the ledger."`
	CustomerID string `json:"customerId" doc:"The customer."`
	Amount     int64  `json:"amount" doc:"What was given, in minor units of the currency; below zero where credit was taken."`
	Currency   string `json:"currency" doc:"ISO 4217 code."`
	Balance    int64  `json:"balance" doc:"All that the customer has in this currency afterwards, credit grants included, in minor units."`
}

func (e BalanceAdjusted) about() about { return about{objectID: e.ID, customerID: e.CustomerID} }

// Type implements Data.
func (BalanceAdjusted) Type() Type { return TypeBalanceAdjusted }
