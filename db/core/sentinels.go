package core

import "perennial/billing/fault"

// The faults that callers distinguish with errors.Is. A row of another environment is absent like one that never
// existed.
var (
	ErrAPIKeyUnknown         = fault.New(fault.Unauthorized, "api_key_unknown", "The API key does not exist.")
	ErrCreditNoteNotFound    = NotFound("credit_note")
	ErrCreditGrantNotFound   = NotFound("credit_grant")
	ErrCouponNotFound        = NotFound("coupon")
	ErrCustomerNotFound      = NotFound("customer")
	ErrDisputeNotFound       = NotFound("dispute")
	ErrEmailNotFound         = NotFound("email")
	ErrEmailSettingsNotFound = fault.New(fault.NotFound, "email_settings_not_found",
		"The environment sends no mail: it has no email settings. Send them with PUT /email-settings.")
	ErrErasureNotFound         = NotFound("erasure")
	ErrEventNotFound           = NotFound("event")
	ErrInvoiceNotFound         = NotFound("invoice")
	ErrInvoiceTemplateNotFound = NotFound("invoice_template")
	ErrMetricNotFound          = NotFound("metric")
	ErrPaymentMethodNotFound   = NotFound("payment_method")
	ErrPlanNotFound            = NotFound("plan")
	ErrProviderConfigNotFound  = NotFound("provider_config")
	ErrTaxRateNotFound         = NotFound("tax_rate")
	ErrAPIKeyNotFound          = NotFound("api_key")
	ErrProductNotFound         = NotFound("product")
	ErrSubscriptionNotFound    = NotFound("subscription")
	ErrTestClockNotFound       = NotFound("test_clock")
	ErrTransactionNotFound     = NotFound("transaction")
	ErrWebhookEndpointNotFound = NotFound("webhook_endpoint")
	ErrWebhookDeliveryNotFound = NotFound("webhook_delivery")
	ErrWebhookEndpointChanged  = Changed("webhook_endpoint")
	ErrIdempotencyKeyTaken     = fault.New(fault.Conflict, "idempotency_key_taken",
		"Another request with this Idempotency-Key came first. Its response is returned.")
)
