package movefile

import (
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/payment"
)

// Records that only an export has, with the field names of the API. They are for accounting and cannot be imported.

type invoiceForm struct {
	Type           moving.Type    `json:"type"`
	ID             string         `json:"id"`
	Number         string         `json:"number"`
	CustomerID     string         `json:"customerId"`
	SubscriptionID string         `json:"subscriptionId,omitempty"`
	Status         invoice.Status `json:"status"`
	Reason         invoice.Reason `json:"reason"`
	Currency       money.Currency `json:"currency"`
	Lines          []lineForm     `json:"lines"`
	Subtotal       money.Minor    `json:"subtotal"`
	Discount       money.Minor    `json:"discount,omitempty"`
	Tax            money.Minor    `json:"tax"`
	Taxes          invoice.Taxes  `json:"taxes,omitempty"`
	Total          money.Minor    `json:"total"`
	CreditApplied  money.Minor    `json:"creditApplied,omitempty"`
	BroughtForward money.Minor    `json:"broughtForward,omitempty"`
	CarriedForward money.Minor    `json:"carriedForward,omitempty"`
	Credited       money.Minor    `json:"credited,omitempty"`
	AmountDue      money.Minor    `json:"amountDue"`
	AmountPaid     money.Minor    `json:"amountPaid"`
	PeriodStart    moving.Time    `json:"periodStart,omitzero"`
	PeriodEnd      moving.Time    `json:"periodEnd,omitzero"`
	IssuedAt       moving.Time    `json:"issuedAt,omitzero"`
	PaidAt         moving.Time    `json:"paidAt,omitzero"`
	VoidedAt       moving.Time    `json:"voidedAt,omitzero"`
}

type lineForm struct {
	ID          string               `json:"id"`
	Kind        invoice.LineKind     `json:"kind"`
	Description string               `json:"description"`
	PriceID     string               `json:"priceId,omitempty"`
	Quantity    string               `json:"quantity,omitempty"`
	UnitAmount  string               `json:"unitAmount,omitempty"` // in minor units, which may be a part of one
	UnitPrice   string               `json:"unitPrice,omitempty"`  // the same in major units, as it was first
	Amount      money.Minor          `json:"amount"`
	Discounts   invoice.Shares       `json:"discounts,omitempty"`
	Explanation *invoice.Explanation `json:"explanation,omitempty"`
	PeriodStart moving.Time          `json:"periodStart,omitzero"`
	PeriodEnd   moving.Time          `json:"periodEnd,omitzero"`
}

// Invoice writes one with its lines.
func (w *Writer) Invoice(i invoice.Invoice) error {
	f := invoiceForm{
		Type: moving.InvoiceType, ID: i.ID, Number: i.ShownNumber(), CustomerID: i.CustomerID,
		SubscriptionID: i.SubscriptionID, Status: i.Status, Reason: i.Reason, Currency: i.Currency, Subtotal: i.Subtotal(),
		Discount: i.Discount, Credited: i.Credited.Total, Tax: i.Tax, Taxes: i.Taxes, Total: i.Total,
		CreditApplied: i.CreditApplied, BroughtForward: i.BroughtForward,
		CarriedForward: i.CarriedForward, AmountDue: i.AmountDue, AmountPaid: i.AmountPaid,
		PeriodStart: moving.At(i.Period.Start), PeriodEnd: moving.At(i.Period.End), IssuedAt: moving.At(i.IssuedAt),
		PaidAt: moving.At(i.PaidAt), VoidedAt: moving.At(i.VoidedAt), Lines: make([]lineForm, len(i.Lines)),
	}
	for n, l := range i.Lines {
		f.Lines[n] = lineForm{
			ID: l.ID, Kind: l.Kind, Description: l.Description, PriceID: l.PriceID, Quantity: l.Quantity,
			UnitAmount: money.ShownInMinor(l.UnitPrice, i.Currency), UnitPrice: l.UnitPrice, Amount: l.Amount,
			Discounts: l.Discounts, Explanation: l.Explanation, PeriodStart: moving.At(l.Period.Start),
			PeriodEnd: moving.At(l.Period.End),
		}
	}
	return w.lines.Encode(f)
}

type transactionForm struct {
	Type           moving.Type    `json:"type"`
	ID             string         `json:"id"`
	Kind           payment.Type   `json:"kind"`
	Status         payment.Status `json:"status"`
	CustomerID     string         `json:"customerId"`
	SubscriptionID string         `json:"subscriptionId,omitempty"`
	InvoiceID      string         `json:"invoiceId,omitempty"`
	ChargeID       string         `json:"chargeId,omitempty"`
	Amount         money.Minor    `json:"amount"`
	AmountRefunded money.Minor    `json:"amountRefunded,omitempty"`
	Currency       money.Currency `json:"currency"`
	Provider       string         `json:"provider,omitempty"`
	ProviderRef    string         `json:"providerReference,omitempty"`
	FailureCode    string         `json:"failureCode,omitempty"`
	CreatedAt      moving.Time    `json:"createdAt,omitzero"`
	CompletedAt    moving.Time    `json:"completedAt,omitzero"`
}

// Transaction writes one, without the payment method that it was made with.
func (w *Writer) Transaction(t payment.Transaction) error {
	return w.lines.Encode(transactionForm{
		Type: moving.TransactionType, ID: t.ID, Kind: t.Type, Status: t.Status, CustomerID: t.CustomerID,
		SubscriptionID: t.SubscriptionID, InvoiceID: t.InvoiceID, ChargeID: t.ChargeID, Amount: t.Amount,
		AmountRefunded: t.AmountRefunded, Currency: t.Currency, Provider: t.Provider, ProviderRef: t.ProviderRef,
		FailureCode: t.FailureCode, CreatedAt: moving.At(t.CreatedAt), CompletedAt: moving.At(t.CompletedAt),
	})
}
