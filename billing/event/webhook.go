package event

// The types about webhook endpoints.
const (
	TypeWebhookEndpointDisabled Type = "webhook_endpoint.disabled"
	TypeWebhookEndpointTest     Type = "webhook_endpoint.test"
)

// WebhookEndpointDisabled means that nothing is sent to an endpoint any more, because no attempt succeeded for days, or
// its receiver answered 410.
type WebhookEndpointDisabled struct {
	ID           string `json:"id" doc:"The webhook endpoint."`
	Reason       string `json:"reason" enum:"failing,gone" doc:"failing: no delivery succeeded for three days. gone: the receiver answered 410."`
	FailingSince int64  `json:"failingSince" doc:"When the first attempt failed after which none succeeded, in Unix seconds."`
}

// WebhookEndpointTest means that a test of the endpoint was requested; no other endpoint receives it.
type WebhookEndpointTest struct {
	ID string `json:"id" doc:"The webhook endpoint."`
}

func (e WebhookEndpointDisabled) about() about { return about{objectID: e.ID} }
func (e WebhookEndpointTest) about() about     { return about{objectID: e.ID} }

// Type implements Data.
func (WebhookEndpointDisabled) Type() Type { return TypeWebhookEndpointDisabled }

// Type implements Data.
func (WebhookEndpointTest) Type() Type { return TypeWebhookEndpointTest }
