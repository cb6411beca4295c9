package event

// The types about subscriptions.
const (
	TypeSubscriptionCreated         Type = "subscription.created"
	TypeSubscriptionUpdated         Type = "subscription.updated"
	TypeSubscriptionPlanChanged     Type = "subscription.plan_changed"
	TypeSubscriptionChangeDropped   Type = "subscription.change_dropped"
	TypeSubscriptionCancelScheduled Type = "subscription.cancel_scheduled"
	TypeSubscriptionReactivated     Type = "subscription.reactivated"
	TypeSubscriptionTrialWillEnd    Type = "subscription.trial_will_end"
	TypeSubscriptionRenewalReminder Type = "subscription.renewal_reminder"
	TypeSubscriptionRenewed         Type = "subscription.renewed"
	TypeSubscriptionActivated       Type = "subscription.activated"
	TypeSubscriptionPastDue         Type = "subscription.past_due"
	TypeSubscriptionPaused          Type = "subscription.paused"
	TypeSubscriptionResumed         Type = "subscription.resumed"
	TypeSubscriptionCanceled        Type = "subscription.canceled"
)

// Subscription has the fields of all events about a subscription.
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
// Where a type of its own says so too, that event comes first.
type SubscriptionUpdated struct {
	Subscription
	Status  string   `json:"status" doc:"The status of the subscription."`
	PlanID  string   `json:"planId" doc:"The plan."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

// SubscriptionPlanChanged means that the subscription is on another plan from now on: after a command, or with the
// period to which a command had put the change off.
type SubscriptionPlanChanged struct {
	Subscription
	Status         string `json:"status" doc:"The status of the subscription."`
	PlanID         string `json:"planId" doc:"The new plan."`
	PreviousPlanID string `json:"previousPlanId" doc:"The plan until now."`
}

// SubscriptionChangeDropped means that a scheduled change will not take effect: at its date it was impossible, or the
// subscription has ended. The same holds for a change whose invoice was not paid in time.
type SubscriptionChangeDropped struct {
	Subscription
	ScheduledChangeID string `json:"scheduledChangeId" doc:"The scheduled change, or the pendingChange."`
	EffectiveAt       int64  `json:"effectiveAt" doc:"When it was to take effect, in Unix seconds; of a pendingChange, when it was billed."`
	Reason            string `json:"reason" doc:"The code of the error with which such a change is refused now; change_not_paid: its invoice was not paid in time."`
}

// SubscriptionCancelScheduled means that the subscription will end with its current period or trial.
type SubscriptionCancelScheduled struct {
	Subscription
	Status       string `json:"status" doc:"The status of the subscription, which stays until then."`
	CancelAt     int64  `json:"cancelAt" doc:"When it ends, in Unix seconds."`
	CancelReason string `json:"cancelReason" doc:"What a person wrote. Empty if nothing, and after the erasure of the customer."`
}

// SubscriptionReactivated means that a scheduled cancellation was taken back.
type SubscriptionReactivated struct {
	Subscription
	Status string `json:"status" doc:"The status of the subscription."`
}

// SubscriptionTrialWillEnd means that the trial ends in three days.
// A trial that is shorter announces it when it begins.
type SubscriptionTrialWillEnd struct {
	Subscription
	PlanID            string `json:"planId" doc:"The plan that is billed after the trial."`
	TrialEndsAt       int64  `json:"trialEndsAt" doc:"When the trial ends, in Unix seconds."`
	CancelAtPeriodEnd bool   `json:"cancelAtPeriodEnd" doc:"True where the subscription ends with its trial, so that nothing is billed."`
}

// SubscriptionRenewalReminder means that a renewal comes soon whose payment the payer must confirm, as mobile money
// asks for. How long before is a setting of the environment, one day unless it says otherwise.
type SubscriptionRenewalReminder struct {
	Subscription
	PlanID   string `json:"planId" doc:"The plan of the next period."`
	RenewsAt int64  `json:"renewsAt" doc:"When the next period begins and its payment is asked for, in Unix seconds."`
	Amount   int64  `json:"amount" doc:"What the period costs before credits, in minor units of the currency."`
	Currency string `json:"currency" doc:"ISO 4217 code."`
}

// SubscriptionRenewed means that a period began: the next one, or the first one after a trial or a pause.
type SubscriptionRenewed struct {
	Subscription
	Status             string `json:"status" doc:"The status of the subscription."`
	PlanID             string `json:"planId" doc:"The plan."`
	CurrentPeriodStart int64  `json:"currentPeriodStart" doc:"The first instant of the period, in Unix seconds."`
	CurrentPeriodEnd   int64  `json:"currentPeriodEnd" doc:"The first instant after the period, in Unix seconds."`
}

// SubscriptionActivated means that the first period is paid or free, or a past-due subscription recovered.
type SubscriptionActivated struct{ Subscription }

// SubscriptionPastDue means that the last automatic attempt of an invoice failed, or was skipped.
type SubscriptionPastDue struct {
	Subscription
	FailedPaymentAttempts int  `json:"failedPaymentAttempts" doc:"How many attempts the invoice has had."`
	CollectionPaused      bool `json:"collectionPaused" doc:"True where nothing more is billed or collected until collection is resumed or the invoice is paid."`
}

// SubscriptionPaused means that the subscription is paused: its period has ended, and nothing is billed until it
// resumes.
type SubscriptionPaused struct {
	Subscription
	Reason    string `json:"reason" doc:"requested, or no_payment_method where a trial ended without one."`
	ResumesAt int64  `json:"resumesAt,omitempty" doc:"When it resumes automatically, in Unix seconds. Absent: at no time."`
}

// SubscriptionResumed means that the pause ended. A subscription.renewed with the period that begins follows.
type SubscriptionResumed struct {
	Subscription
	Status string `json:"status" doc:"The status of the subscription."`
	PlanID string `json:"planId" doc:"The plan."`
}

// SubscriptionCanceled means that it ended. The reason is a code of ours or a person's words.
type SubscriptionCanceled struct {
	Subscription
	CancelReason string `json:"cancelReason" doc:"A code such as past_due_expired, or what a person wrote. Empty after the erasure of the customer."`
}

// Type implements Data.
func (SubscriptionCreated) Type() Type { return TypeSubscriptionCreated }

// Type implements Data.
func (SubscriptionUpdated) Type() Type { return TypeSubscriptionUpdated }

// Type implements Data.
func (SubscriptionPlanChanged) Type() Type { return TypeSubscriptionPlanChanged }

// Type implements Data.
func (SubscriptionChangeDropped) Type() Type { return TypeSubscriptionChangeDropped }

// Type implements Data.
func (SubscriptionCancelScheduled) Type() Type { return TypeSubscriptionCancelScheduled }

// Type implements Data.
func (SubscriptionReactivated) Type() Type { return TypeSubscriptionReactivated }

// Type implements Data.
func (SubscriptionTrialWillEnd) Type() Type { return TypeSubscriptionTrialWillEnd }

// Type implements Data.
func (SubscriptionRenewed) Type() Type { return TypeSubscriptionRenewed }

// Type implements Data.
func (SubscriptionActivated) Type() Type { return TypeSubscriptionActivated }

// Type implements Data.
func (SubscriptionPastDue) Type() Type { return TypeSubscriptionPastDue }

// Type implements Data.
func (SubscriptionPaused) Type() Type { return TypeSubscriptionPaused }

// Type implements Data.
func (SubscriptionResumed) Type() Type { return TypeSubscriptionResumed }

// Type implements Data.
func (SubscriptionCanceled) Type() Type { return TypeSubscriptionCanceled }

// Type implements Data.
func (SubscriptionRenewalReminder) Type() Type { return TypeSubscriptionRenewalReminder }
