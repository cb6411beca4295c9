package api

import "perennial/billing/balance"

// GrantUse is what an invoice has used of a credit grant.
type GrantUse struct {
	CreditGrantID string `json:"creditGrantId" example:"crg_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The credit grant."`
	Amount        int64  `json:"amount" example:"1800" doc:"Minor units."`
}

func renderGrantsUsed(uses balance.Uses) []GrantUse {
	var shown []GrantUse
	for _, use := range uses {
		shown = append(shown, GrantUse{use.ID, int64(use.Amount)})
	}
	return shown
}
