package invoices

import (
	"perennial/billing/balance"
	"perennial/billing/invoice"
)

// GrantUse is the amount of a credit grant that an invoice has used.
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

// InvoiceDiscount is the discount of one coupon on an invoice, or on one of its lines.
type InvoiceDiscount struct {
	CouponID string `json:"couponId" example:"coup_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The coupon."`
	Code     string `json:"code" example:"WELCOME" doc:"The code of the coupon."`
	Amount   int64  `json:"amount" example:"380" doc:"Minor units; below zero where unused time is credited: its discount is taken off no more."`
}

func renderShares(shares invoice.Shares) []InvoiceDiscount {
	shown := make([]InvoiceDiscount, len(shares))
	for i, s := range shares {
		shown[i] = InvoiceDiscount{CouponID: s.CouponID, Code: s.Code, Amount: int64(s.Amount)}
	}
	return shown
}
