package moving

import "slices"

// Type is the type of a record.
type Type string

// The types of records that are imported.
const (
	SettingsType      Type = "settings"
	ProductType       Type = "product"
	TaxRateType       Type = "tax_rate"
	MetricType        Type = "metric"
	PlanType          Type = "plan"
	CouponType        Type = "coupon"
	CustomerType      Type = "customer"
	PaymentMethodType Type = "payment_method"
	BalanceType       Type = "balance"
	CreditGrantType   Type = "credit_grant"
	SubscriptionType  Type = "subscription"
	EndpointType      Type = "webhook_endpoint"
)

// The types that only an export has: documents and payments stay in the books of the system that they are of.
const (
	InvoiceType     Type = "invoice"
	CreditNoteType  Type = "credit_note"
	TransactionType Type = "transaction"
)

// Imported returns the types that are imported, in their order: each names only objects of those before it.
func Imported() []Type {
	return []Type{
		SettingsType, ProductType, TaxRateType, MetricType, PlanType, CouponType, CustomerType, PaymentMethodType,
		BalanceType, CreditGrantType, SubscriptionType, EndpointType,
	}
}

// History returns the types that only an export has.
func History() []Type { return []Type{InvoiceType, CreditNoteType, TransactionType} }

// Imports reports whether records of the type are imported.
func (t Type) Imports() bool { return slices.Contains(Imported(), t) }
