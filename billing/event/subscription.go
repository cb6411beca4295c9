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
	ID             string `json:"id"`
	CustomerID     string `json:"customerId"`
	SubscriptionID string `json:"subscriptionId"`
}

// OfSubscription names one.
func OfSubscription(id, customerID string) Subscription { return Subscription{id, customerID, id} }

func (s Subscription) about() about { return about{s.ID, s.CustomerID, s.SubscriptionID} }

// SubscriptionCreated: a customer subscribed.
type SubscriptionCreated struct {
	Subscription
	Status string `json:"status"`
	PlanID string `json:"planId"`
}

// SubscriptionUpdated: a command changed the fields named.
type SubscriptionUpdated struct {
	Subscription
	Status  string   `json:"status"`
	PlanID  string   `json:"planId"`
	Changed []string `json:"changed"`
}

// SubscriptionRenewed: a period began. Times are Unix seconds.
type SubscriptionRenewed struct {
	Subscription
	Status             string `json:"status"`
	PlanID             string `json:"planId"`
	CurrentPeriodStart int64  `json:"currentPeriodStart"`
	CurrentPeriodEnd   int64  `json:"currentPeriodEnd"`
}

// SubscriptionActivated: the first period is paid or free, or a past-due subscription recovered.
type SubscriptionActivated struct{ Subscription }

// SubscriptionPastDue: the last automatic attempt of an invoice failed.
type SubscriptionPastDue struct {
	Subscription
	FailedPaymentAttempts int `json:"failedPaymentAttempts"`
}

// SubscriptionCanceled: it ended. The reason is a code of ours or what a person wrote.
type SubscriptionCanceled struct {
	Subscription
	CancelReason string `json:"cancelReason"`
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
