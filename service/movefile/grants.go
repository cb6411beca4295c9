package movefile

import (
	"perennial/billing/balance"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/moving"
)

// creditGrantForm is a credit grant that can still be used. It is not imported.
type creditGrantForm struct {
	Type        moving.Type    `json:"type"`
	ID          string         `json:"id"`
	PerennialID string         `json:"perennialId"`
	Customer    string         `json:"customer"`
	Currency    money.Currency `json:"currency"`
	Amount      money.Minor    `json:"amount"` // that is left
	Priority    int            `json:"priority"`
	Plans       []string       `json:"plans,omitempty"`
	Name        string         `json:"name,omitempty"`
	Metadata    metadata.Pairs `json:"metadata,omitempty"`
	ExpiresAt   moving.Time    `json:"expiresAt,omitzero"`
	CreatedAt   moving.Time    `json:"createdAt"`
}

// CreditGrant writes a record of one, of a customer by a name, for the plans with some names.
func (w *Writer) CreditGrant(g balance.Grant, customer string, plans []string) error {
	return w.lines.Encode(creditGrantForm{
		Type: moving.CreditGrantType, ID: g.ID, PerennialID: g.ID, Customer: customer, Currency: g.Currency, Amount: g.Left,
		Priority: g.Priority, Plans: plans, Name: g.Name, Metadata: g.Metadata, ExpiresAt: moving.At(g.ExpiresAt),
		CreatedAt: moving.At(g.GivenAt),
	})
}
