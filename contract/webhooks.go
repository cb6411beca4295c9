package contract

import "time"

// WebhookEndpointInput starts or continues a webhook endpoint's workflow.
type WebhookEndpointInput struct {
	Ref Ref `json:"ref"`
	// Slow: the last run found the receiver slow, so its queue is the slow one.
	Slow bool `json:"slow,omitempty"`
}

// DeliverInput asks for the deliveries of an endpoint that are due. Slow selects the lane: on the fast one an attempt
// that lasts for more than a second ends the activity, not the attempt.
type DeliverInput struct {
	Ref  Ref  `json:"ref"`
	Slow bool `json:"slow,omitempty"`
}

// DeliverOutput has what is left to deliver.
type DeliverOutput struct {
	// NextAt is the real time at which there is work again; zero: when the endpoint is woken.
	NextAt time.Time `json:"nextAt"`
	// Slow: the receiver was slow to answer, or did not.
	Slow bool `json:"slow,omitempty"`
	// Gone: the endpoint is disabled or deleted, and owed nothing.
	Gone bool `json:"gone,omitempty"`
	// For people: attempts made that succeeded and failed, and deliveries that wait, up to 1,000 of each kind.
	Succeeded    int       `json:"succeeded,omitempty"`
	Failed       int       `json:"failed,omitempty"`
	Waiting      int       `json:"waiting,omitempty"`
	Retrying     int       `json:"retrying,omitempty"`
	FailingSince time.Time `json:"failingSince"`
}
