package event

// The types about subscriptions.
const (
	TypeSubscriptionCreated   Type = "subscription.created"
	TypeSubscriptionUpdated   Type = "subscription.updated"
	TypeSubscriptionRenewed   Type = "subscription.renewed"
	TypeSubscriptionActivated Type = "subscription.activated"
	TypeSubscriptionPastDue   Type = "subscription.past_due"
	TypeSubscriptionCanceled  Type = "subscription.canceled"
)

// Subscription is what every event about a subscription carries.
type Subscription struct {
	ID             string `json:"id" doc:"The subscription; receivers deduplicate on it."`
	CustomerID     string `json:"customerId" doc:"The customer."`
	SubscriptionID string `json:"subscriptionId" doc:"The subscription."`
}

// OfSubscription names one.
func OfSubscription(id, customerID string) Subscription { return Subscription{id, customerID, id} }

func (s Subscription) about() about { return about{s.ID, s.CustomerID, s.SubscriptionID} }

// SubscriptionCreated means that a customer subscribed.
type SubscriptionCreated struct {
	Subscription
	Status string `json:"status" doc:"The status of the subscription."`
	PlanID string `json:"planId" doc:"The plan."`
}

// SubscriptionUpdated means that a command changed the fields named.
type SubscriptionUpdated struct {
	Subscription
	Status  string   `json:"status" doc:"The status of the subscription."`
	PlanID  string   `json:"planId" doc:"The plan."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

// SubscriptionRenewed means that a period began.
type SubscriptionRenewed struct {
	Subscription
	Status             string `json:"status" doc:"The status of the subscription."`
	PlanID             string `json:"planId" doc:"The plan."`
	CurrentPeriodStart int64  `json:"currentPeriodStart" doc:"Unix seconds."`
	CurrentPeriodEnd   int64  `json:"currentPeriodEnd" doc:"Unix seconds."`
}

// SubscriptionActivated means that the first period is paid or free, or a past-due subscription recovered.
type SubscriptionActivated struct{ Subscription }

// SubscriptionPastDue means that the last automatic attempt of an invoice failed.
type SubscriptionPastDue struct {
	Subscription
	FailedPaymentAttempts int `json:"failedPaymentAttempts" doc:"How many attempts the invoice has had."`
}

// SubscriptionCanceled means that it ended. The reason is a code of ours or what a person wrote.
type SubscriptionCanceled struct {
	Subscription
	CancelReason string `json:"cancelReason" doc:"A code such as past_due_expired, or what a person wrote. Empty after the erasure of the customer."`
}

// Type implements Data.
func (SubscriptionCreated) Type() Type { return TypeSubscriptionCreated }

// Type implements Data.
func (SubscriptionUpdated) Type() Type { return TypeSubscriptionUpdated }

// Type implements Data.
func (SubscriptionRenewed) Type() Type { return TypeSubscriptionRenewed }

// Type implements Data.
func (SubscriptionActivated) Type() Type { return TypeSubscriptionActivated }

// Type implements Data.
func (SubscriptionPastDue) Type() Type { return TypeSubscriptionPastDue }

// Type implements Data.
func (SubscriptionCanceled) Type() Type { return TypeSubscriptionCanceled }
