package api

import (
	"perennial/api/catalog"
	"perennial/api/clocks"
	"perennial/api/customers"
	"perennial/api/emails"
	"perennial/api/invoices"
	"perennial/api/payments"
	"perennial/api/subscriptions"
	"perennial/api/templates"
	"perennial/api/tenancy"
	"perennial/api/usage"
	"perennial/api/view"
	"perennial/api/webhooks"
)

// The tests of this package read the answers of the whole server by the bare names of the wire shapes.
type (
	Coupon           = catalog.Coupon
	MigrationRefusal = catalog.MigrationRefusal
	Plan             = catalog.Plan
	PlanMigration    = catalog.PlanMigration
	PriceAmounts     = catalog.PriceAmounts
	PriceTier        = catalog.PriceTier
	TierRule         = catalog.TierRule
	Product          = catalog.Product
	PublicPlan       = catalog.PublicPlan
	TaxRate          = catalog.TaxRate
	TierAmounts      = catalog.TierAmounts

	TestClock = clocks.TestClock

	Access         = customers.Access
	AccessOf       = customers.AccessOf
	FeatureSource  = customers.FeatureSource
	Balance        = customers.Balance
	BalanceEntry   = customers.BalanceEntry
	Credit         = customers.Credit
	CreditGrant    = customers.CreditGrant
	Card           = customers.Card
	Customer       = customers.Customer
	PaymentDetails = customers.PaymentDetails
	PaymentMethod  = customers.PaymentMethod

	PaymentMethodRemoved = customers.PaymentMethodRemoved

	Buyer           = invoices.Buyer
	CreditNote      = invoices.CreditNote
	GrantUse        = invoices.GrantUse
	Invoice         = invoices.Invoice
	MonthCreditNote = invoices.MonthCreditNote
	MonthInvoice    = invoices.MonthInvoice
	MonthReport     = invoices.MonthReport
	MonthTaxes      = invoices.MonthTaxes

	Breaker             = payments.Breaker
	Dispute             = payments.Dispute
	Payment             = payments.Payment
	PaymentProvider     = payments.PaymentProvider
	ProviderCredentials = payments.ProviderCredentials
	RoutingRule         = payments.RoutingRule

	ScheduledChange     = subscriptions.ScheduledChange
	Subscription        = subscriptions.Subscription
	SubscriptionAddOn   = subscriptions.SubscriptionAddOn
	SubscriptionPreview = subscriptions.SubscriptionPreview
	Timeline            = subscriptions.Timeline
	TimelineExpected    = subscriptions.TimelineExpected

	AuditActor     = tenancy.AuditActor
	AuditChange    = tenancy.AuditChange
	AuditEntry     = tenancy.AuditEntry
	Environment    = tenancy.Environment
	InvoiceNumbers = tenancy.InvoiceNumbers
	Key            = tenancy.Key
	Settings       = tenancy.Settings

	Metric        = usage.Metric
	Number        = usage.Number
	UsageBatch    = usage.UsageBatch
	UsageProgress = usage.UsageProgress
	UsageRecord   = usage.UsageRecord
	UsageSummary  = usage.UsageSummary

	Address  = view.Address
	Deleted  = view.Deleted
	Metadata = view.Metadata
	Seller   = view.Seller
	TaxID    = view.TaxID

	Email           = emails.Email
	EmailSettings   = emails.EmailSettings
	InvoiceTemplate = templates.InvoiceTemplate
	EmailTest       = emails.EmailTest

	Backlog         = webhooks.Backlog
	Event           = webhooks.Event
	Redelivery      = webhooks.Redelivery
	WebhookAttempt  = webhooks.WebhookAttempt
	WebhookEndpoint = webhooks.WebhookEndpoint
	WebhookLog      = webhooks.WebhookLog
)
