package db

import "perennial/billing/fault"

// The faults that callers tell apart, for errors.Is. A row of another environment is absent like one that never was.
var (
	ErrAPIKeyUnknown           = fault.New(fault.Unauthorized, "api_key_unknown", "The API key does not exist.")
	ErrCreditNoteNotFound      = notFound("credit_note")
	ErrCreditGrantNotFound     = notFound("credit_grant")
	ErrCouponNotFound          = notFound("coupon")
	ErrCustomerNotFound        = notFound("customer")
	ErrDisputeNotFound         = notFound("dispute")
	ErrErasureNotFound         = notFound("erasure")
	ErrEventNotFound           = notFound("event")
	ErrInvoiceNotFound         = notFound("invoice")
	ErrMetricNotFound          = notFound("metric")
	ErrPlanNotFound            = notFound("plan")
	ErrProviderConfigNotFound  = notFound("provider_config")
	ErrTaxRateNotFound         = notFound("tax_rate")
	ErrAPIKeyNotFound          = notFound("api_key")
	ErrProductNotFound         = notFound("product")
	ErrSubscriptionNotFound    = notFound("subscription")
	ErrTestClockNotFound       = notFound("test_clock")
	ErrTransactionNotFound     = notFound("transaction")
	ErrWebhookEndpointNotFound = notFound("webhook_endpoint")
	ErrWebhookDeliveryNotFound = notFound("webhook_delivery")
	ErrWebhookEndpointChanged  = changed("webhook_endpoint")
	ErrIdempotencyKeyTaken     = fault.New(fault.Conflict, "idempotency_key_taken",
		"Another request with this Idempotency-Key came first. Its response is returned.")
)
