package db

import "perennial/db/webhooks"

// Callers know these of package webhooks by the name of db.

type (
	AttemptEnd            = webhooks.AttemptEnd
	AttemptResult         = webhooks.AttemptResult
	AttemptStart          = webhooks.AttemptStart
	DueDelivery           = webhooks.DueDelivery
	EndpointAction        = webhooks.EndpointAction
	EndpointChange        = webhooks.EndpointChange
	Event                 = webhooks.Event
	EventFilter           = webhooks.EventFilter
	EventRange            = webhooks.EventRange
	Log                   = webhooks.Log
	LoggedAttempt         = webhooks.LoggedAttempt
	NewAttempt            = webhooks.NewAttempt
	RangedEvent           = webhooks.RangedEvent
	TroubledEndpoint      = webhooks.TroubledEndpoint
	Waiting               = webhooks.Waiting
	WebhookBacklog        = webhooks.WebhookBacklog
	WebhookDelivery       = webhooks.WebhookDelivery
	WebhookDeliveryFilter = webhooks.WebhookDeliveryFilter
	WebhookEndpoint       = webhooks.WebhookEndpoint
	WebhookEndpointFilter = webhooks.WebhookEndpointFilter
)

const (
	AttemptHeld           = webhooks.AttemptHeld
	EndpointDeleted       = webhooks.EndpointDeleted
	EndpointDisabled      = webhooks.EndpointDisabled
	EndpointEnabled       = webhooks.EndpointEnabled
	EndpointRegistered    = webhooks.EndpointRegistered
	EndpointSecretRotated = webhooks.EndpointSecretRotated
	EndpointUpdated       = webhooks.EndpointUpdated
)
