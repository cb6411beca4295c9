package payments

import (
	"perennial/api/view"
	"perennial/billing/payment"
)

// PaymentSend is one request to a provider to move the money of a payment; its repeats have the same key.
type PaymentSend struct {
	Number           int    `json:"number" example:"1"`
	ProviderConfigID string `json:"providerConfigId" example:"pp_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Provider         string `json:"provider" example:"stripe"`
	Outcome          string `json:"outcome,omitempty" enum:"succeeded,declined,failed,canceled,pending,unknown,not_sent,not_found" example:"not_sent" doc:"What the provider said last. not_sent: it surely did not take it. Absent: no answer yet."`
	Reason           string `json:"reason" example:"primary" doc:"Why this account: rule and its place, primary, or backup."`
	SentAt           int64  `json:"sentAt" example:"1763640000"`
}

func renderSends(sends []payment.Send) (out []PaymentSend) {
	for _, s := range sends {
		out = append(out, PaymentSend{
			Number: s.Number, ProviderConfigID: s.ProviderConfigID, Provider: s.Provider, Outcome: string(s.Outcome),
			Reason: s.Reason, SentAt: view.Unix(s.SentAt),
		})
	}
	return out
}
