package contract

import "time"

// WebhookEndpointInput starts or continues a webhook endpoint's workflow.
type WebhookEndpointInput struct {
	Ref Ref `json:"ref"`
	// Slow: the last run found the receiver slow, so its queue is the slow one.
	Slow bool `json:"slow,omitempty"`
}

// DeliverInput asks for the delivery of what an endpoint is owed now. Slow names the lane that it runs in: on the fast
// one an attempt that lasts for more than a second ends the activity, not the attempt.
type DeliverInput struct {
	Ref  Ref  `json:"ref"`
	Slow bool `json:"slow,omitempty"`
}

// DeliverOutput says what is left.
type DeliverOutput struct {
	// NextAt is when there is something to do again, in real time; zero: when the endpoint is woken.
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
