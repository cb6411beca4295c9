package event

// The types about customers, plans and test clocks.
const (
	TypeCustomerCreated   Type = "customer.created"
	TypeCustomerUpdated   Type = "customer.updated"
	TypeCustomerDeleted   Type = "customer.deleted"
	TypeMethodExpiring    Type = "customer.payment_method_expiring"
	TypeOverdueChanged    Type = "customer.overdue_state_changed"
	TypePlanCreated       Type = "plan.created"
	TypePlanUpdated       Type = "plan.updated"
	TypeSettingsUpdated   Type = "settings.updated"
	TypeTestClockAdvanced Type = "test_clock.advanced"
	TypeTestClockDeleted  Type = "test_clock.deleted"
)

// CustomerCreated means that an app has a new customer.
type CustomerCreated struct {
	ID string `json:"id" doc:"The customer."`
}

// CustomerUpdated means that the fields named were changed.
type CustomerUpdated struct {
	ID      string   `json:"id" doc:"The customer."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

// CustomerDeleted means that a customer was deleted: the personal and payment data of the customer are erased. A
// subscription.canceled for each subscription follows.
type CustomerDeleted struct {
	ID string `json:"id" doc:"The customer."`
}

// MethodExpiring means that the card of a payment method expires in thirty days. It is sent once for each payment
// method and expiry.
type MethodExpiring struct {
	ID              string `json:"id" doc:"The customer."`
	PaymentMethodID string `json:"paymentMethodId" doc:"The payment method."`
	Expiry          string `json:"expiry" doc:"The last month in which the card is good, such as 2028-08."`
	Default         bool   `json:"default" doc:"true: it is the customer's default payment method."`
}

// OverdueStateChanged means that what the customer owes has led to another state of the overdue policy, or out of all.
type OverdueStateChanged struct {
	ID                   string          `json:"id" doc:"The customer."`
	State                string          `json:"state" doc:"The name of the state in the policy. Empty: none."`
	FormerState          string          `json:"formerState" doc:"The state before. Empty: none."`
	AccessDenied         bool            `json:"accessDenied" doc:"true: no subscription gives the customer access."`
	CancelsSubscriptions bool            `json:"cancelsSubscriptions" doc:"true: the customer's subscriptions are canceled now; a subscription.canceled for each follows."`
	NeedsPerson          bool            `json:"needsPerson" doc:"true: a person should look at the customer."`
	Invoices             int             `json:"invoices" doc:"How many invoices are overdue. 0 without a state."`
	Amounts              []OverdueAmount `json:"amounts" doc:"What is overdue, by currency. Empty without a state."`
	OldestAt             int64           `json:"oldestAt" doc:"Since when the oldest of them is overdue, in Unix seconds. 0 without a state."`
}

// OverdueAmount is what is overdue in a currency.
type OverdueAmount struct {
	Currency string `json:"currency" doc:"ISO 4217."`
	Amount   int64  `json:"amount" doc:"In minor units."`
}

// PlanCreated means that a plan can be subscribed to.
type PlanCreated struct {
	ID string `json:"id" doc:"The plan."`
}

// PlanUpdated means that the fields named were changed.
type PlanUpdated struct {
	ID      string   `json:"id" doc:"The plan."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

// SettingsUpdated means that settings of the environment were changed.
type SettingsUpdated struct {
	ID      string   `json:"id" doc:"The environment."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

// TestClockAdvanced means that a test clock stopped at Now.
type TestClockAdvanced struct {
	ID        string   `json:"id" doc:"The test clock."`
	Now       int64    `json:"now" doc:"The time of the clock, in Unix seconds."`
	BlockedBy []string `json:"blockedBy" doc:"The payments that stopped it early."`
}

// TestClockDeleted means that a test clock was deleted. A customer.deleted for each of its customers follows.
type TestClockDeleted struct {
	ID string `json:"id" doc:"The test clock."`
}

func (e CustomerCreated) about() about { return about{objectID: e.ID, customerID: e.ID} }
func (e CustomerUpdated) about() about { return about{objectID: e.ID, customerID: e.ID} }
func (e CustomerDeleted) about() about { return about{objectID: e.ID, customerID: e.ID} }
func (e MethodExpiring) about() about  { return about{objectID: e.ID, customerID: e.ID} }
func (e OverdueStateChanged) about() about {
	return about{objectID: e.ID, customerID: e.ID}
}
func (e PlanCreated) about() about       { return about{objectID: e.ID} }
func (e PlanUpdated) about() about       { return about{objectID: e.ID} }
func (e SettingsUpdated) about() about   { return about{objectID: e.ID} }
func (e TestClockAdvanced) about() about { return about{objectID: e.ID} }
func (e TestClockDeleted) about() about  { return about{objectID: e.ID} }

// Type implements Data.
func (CustomerCreated) Type() Type { return TypeCustomerCreated }

// Type implements Data.
func (CustomerUpdated) Type() Type { return TypeCustomerUpdated }

// Type implements Data.
func (CustomerDeleted) Type() Type { return TypeCustomerDeleted }

// Type implements Data.
func (MethodExpiring) Type() Type { return TypeMethodExpiring }

// Type implements Data.
func (OverdueStateChanged) Type() Type { return TypeOverdueChanged }

// Type implements Data.
func (PlanCreated) Type() Type { return TypePlanCreated }

// Type implements Data.
func (PlanUpdated) Type() Type { return TypePlanUpdated }

// Type implements Data.
func (SettingsUpdated) Type() Type { return TypeSettingsUpdated }

// Type implements Data.
func (TestClockAdvanced) Type() Type { return TypeTestClockAdvanced }

// Type implements Data.
func (TestClockDeleted) Type() Type { return TypeTestClockDeleted }

// Catalogue returns one empty example of each type, in the order of the documentation.
// A new type is a struct and a line here.
func Catalogue() []Data {
	return []Data{
		SubscriptionCreated{}, SubscriptionUpdated{}, SubscriptionPlanChanged{}, SubscriptionCancelScheduled{},
		SubscriptionReactivated{}, SubscriptionTrialWillEnd{}, SubscriptionRenewalReminder{}, SubscriptionRenewed{},
		SubscriptionActivated{}, SubscriptionPastDue{}, SubscriptionPaused{}, SubscriptionResumed{}, SubscriptionCanceled{},
		SubscriptionChangeDropped{},
		InvoiceCreated{}, InvoiceUpdated{}, InvoiceDeleted{}, InvoiceFinalized{}, InvoicePaid{}, InvoicePaymentFailed{},
		InvoiceRetrySkipped{}, InvoiceVoided{}, InvoiceMarkedUncollectible{}, InvoiceOverdue{}, CreditNoteCreated{},
		PaymentPending{}, PaymentActionRequired{}, PaymentSuccess{}, PaymentFailed{}, PaymentCanceled{}, PaymentRefunded{},
		PaymentRefundFailed{}, PaymentNeedsReview{}, DisputeCreated{}, DisputeUpdated{}, DisputeClosed{},
		ProviderFailing{}, ProviderRecovered{}, ProviderChargingPaused{}, ProviderChargingResumed{},
		ChargingPaused{}, ChargingResumed{},
		CustomerCreated{}, CustomerUpdated{}, CustomerDeleted{}, MethodExpiring{}, OverdueStateChanged{},
		BalanceAdjusted{},
		CreditGrantCreated{}, CreditGrantDepleted{}, CreditGrantExpired{}, CreditGrantVoided{},
		PlanCreated{}, PlanUpdated{}, ProductCreated{}, ProductUpdated{},
		TaxRateCreated{}, TaxRateUpdated{}, CouponCreated{}, CouponUpdated{}, MetricCreated{}, MetricUpdated{},
		UsageThresholdReached{}, FeatureLimitReached{},
		SettingsUpdated{},
		APIKeyCreated{}, APIKeyUpdated{}, APIKeyRevoked{},
		TestClockAdvanced{}, TestClockDeleted{}, WebhookEndpointDisabled{}, WebhookEndpointTest{},
		EmailFailed{},
	}
}
