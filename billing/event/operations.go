package event

// Cause is the kind of cause of an operation.
type Cause string

// The causes.
const (
	CauseRequest  Cause = "request"  // an API request: Name is its operationId in the OpenAPI document
	CauseTimer    Cause = "timer"    // a due instant: Name is the subscription's nextAction
	CauseProvider Cause = "provider" // what a payment provider says about a payment: Name is the outcome
	CauseClock    Cause = "clock"    // a test clock: Name is its action
	CauseErasure  Cause = "erasure"  // a deleted customer or test clock: Name is the action
	CauseWebhook  Cause = "webhook"  // the delivery to a webhook endpoint: Name says what happens
	CauseEmail    Cause = "email"    // the sending of a mail: Name says what happens
	CauseUsage    Cause = "usage"    // the merge of usage records: Name is its finding
)

// Causes returns all of them, in the order of the documentation.
func Causes() []Cause {
	return []Cause{CauseRequest, CauseTimer, CauseProvider, CauseClock, CauseErasure, CauseWebhook, CauseEmail, CauseUsage}
}

// Operation is one operation in one transaction, and the events that it emits, in order. Its consequences, such as the
// payment of an invoice that it issues, are operations of their own.
type Operation struct {
	Cause Cause
	Name  string
	When  string // the circumstances; empty: always
	Emits []Type
}

var (
	issued  = []Type{TypeInvoiceCreated, TypeInvoiceFinalized}
	settled = append(issued[:2:2], TypeInvoicePaid)
	noted   = append(issued[:2:2], TypeCreditNoteCreated, TypeInvoicePaid)
	missed  = []Type{TypePaymentFailed, TypeInvoicePaymentFailed}
	paid    = []Type{TypePaymentSuccess, TypeInvoicePaid}
)

func then(first []Type, more ...Type) []Type { return append(first[:len(first):len(first)], more...) }

func after(first ...Type) func(more []Type) []Type {
	return func(more []Type) []Type { return append(first, more...) }
}

// Operations returns every operation, with the events that it emits. A test performs each.
func Operations() []Operation {
	resumed := after(TypeSubscriptionResumed, TypeSubscriptionRenewed)
	replanned, renewed := after(TypeSubscriptionPlanChanged, TypeSubscriptionUpdated), after(TypeSubscriptionRenewed)
	return []Operation{
		{CauseRequest, "createCustomer", "", []Type{TypeCustomerCreated}},
		{CauseRequest, "updateCustomer", "", []Type{TypeCustomerUpdated}},
		{CauseRequest, "updateCustomer", "nothing changes", nil},
		{CauseRequest, "deleteCustomer", "", []Type{TypeCustomerDeleted}},
		{CauseRequest, "createPaymentMethod", "", []Type{TypeCustomerUpdated}},
		{CauseRequest, "updatePaymentMethod", "", []Type{TypeCustomerUpdated}},
		{CauseRequest, "updatePaymentMethod", "nothing changes", nil},
		{CauseRequest, "deletePaymentMethod", "", []Type{TypeCustomerUpdated}},
		{CauseRequest, "createBalanceEntry", "", []Type{TypeBalanceAdjusted}},
		{CauseRequest, "verifyTaxId", "", []Type{TypeCustomerUpdated}},
		{CauseRequest, "createCreditGrant", "", []Type{TypeCreditGrantCreated}},
		{CauseRequest, "voidCreditGrant", "", []Type{TypeCreditGrantVoided}},
		{CauseRequest, "createPlan", "", []Type{TypePlanCreated}},
		{CauseRequest, "updatePlan", "", []Type{TypePlanUpdated}},
		{CauseRequest, "createPlanVersion", "", []Type{TypePlanUpdated}},
		{CauseRequest, "migratePlan", "for each subscription that moves now, to dearer prices",
			after(TypeSubscriptionUpdated)(issued)},
		{CauseRequest, "migratePlan", "for each that moves at the end of its period", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "createProduct", "", []Type{TypeProductCreated}},
		{CauseRequest, "updateProduct", "", []Type{TypeProductUpdated}},
		{CauseRequest, "createTaxRate", "", []Type{TypeTaxRateCreated}},
		{CauseRequest, "updateTaxRate", "", []Type{TypeTaxRateUpdated}},
		{CauseRequest, "createAPIKey", "", []Type{TypeAPIKeyCreated}},
		{CauseRequest, "updateAPIKey", "", []Type{TypeAPIKeyUpdated}},
		{CauseRequest, "rotateAPIKey", "", []Type{TypeAPIKeyCreated, TypeAPIKeyRevoked}},
		{CauseRequest, "revokeAPIKey", "", []Type{TypeAPIKeyRevoked}},
		{CauseRequest, "createCoupon", "", []Type{TypeCouponCreated}},
		{CauseRequest, "updateCoupon", "", []Type{TypeCouponUpdated}},
		{CauseRequest, "createMetric", "", []Type{TypeMetricCreated}},
		{CauseRequest, "updateMetric", "", []Type{TypeMetricUpdated}},
		{CauseRequest, "recordUsage", "", nil},
		{CauseRequest, "recordUsageBatch", "", nil},
		{CauseRequest, "streamUsage", "", nil},
		{CauseRequest, "recordCloudEvents", "", nil},
		{CauseRequest, "redeemCoupon", "", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "removeCoupon", "", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "createSubscription", "", []Type{TypeSubscriptionCreated}},
		{CauseRequest, "createSubscription", "with a trial of three days or less",
			[]Type{TypeSubscriptionCreated, TypeSubscriptionTrialWillEnd}},
		{CauseRequest, "previewNewSubscription", "", nil},
		{CauseRequest, "previewSubscription", "", nil},
		{CauseRequest, "updateSubscription", "to a dearer plan", replanned(issued)},
		{CauseRequest, "updateSubscription", "to a cheaper plan: a credit note pays the invoice", replanned(noted)},
		{CauseRequest, "updateSubscription", "while the period's invoice is unpaid: it is replaced",
			replanned(then([]Type{TypeInvoiceVoided}, issued...))},
		{CauseRequest, "updateSubscription", "in a trial", replanned(nil)},
		{CauseRequest, "updateSubscription", "its anchor", after(TypeSubscriptionUpdated)(issued)},
		{CauseRequest, "updateSubscription", "its metadata", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "updateSubscription", "its payment terms", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "updateSubscription", "the end of a trial", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "updateSubscription", "the end of a trial, to now",
			after(TypeSubscriptionUpdated, TypeSubscriptionRenewed)(issued)},
		{CauseRequest, "updateSubscription", "to a dearer plan, and the proration waits for the next invoice",
			replanned(nil)},
		{CauseRequest, "updateSubscription", "to a dearer plan, once it is paid", after(TypeSubscriptionUpdated)(issued)},
		{CauseRequest, "updateSubscription", "to a larger quantity", after(TypeSubscriptionUpdated)(issued)},
		{
			CauseRequest, "updateSubscription", "at the end of the period, or to stay after all",
			[]Type{TypeSubscriptionUpdated},
		},
		{CauseRequest, "updateSubscription", "at a date", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "withdrawScheduledChange", "", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "withdrawScheduledChange", "that waits for its payment",
			[]Type{TypeSubscriptionUpdated, TypeInvoiceVoided}},
		{CauseRequest, "cancelSubscription", "now, with a scheduled change",
			[]Type{TypeSubscriptionCanceled, TypeSubscriptionChangeDropped}},
		{CauseRequest, "cancelSubscription", "at the end of the period",
			[]Type{TypeSubscriptionCancelScheduled, TypeSubscriptionUpdated}},
		{CauseRequest, "cancelSubscription", "again, for another reason", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "cancelSubscription", "of a paused one", []Type{TypeSubscriptionCanceled}},
		{CauseRequest, "cancelSubscription", "now", []Type{TypeSubscriptionCanceled}},
		{CauseRequest, "cancelSubscription", "now, with a refund of unused time",
			[]Type{TypeSubscriptionCanceled, TypeCreditNoteCreated}},
		{CauseRequest, "reactivateSubscription", "", []Type{TypeSubscriptionReactivated, TypeSubscriptionUpdated}},
		{CauseRequest, "pauseSubscription", "", []Type{TypeSubscriptionPaused}},
		{CauseRequest, "pauseSubscription", "with credit for unused time",
			[]Type{TypeSubscriptionPaused, TypeCreditNoteCreated}},
		{CauseRequest, "pauseSubscription", "of a paused one: the end of the pause moves", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "resumeSubscription", "", resumed(issued)},
		{CauseRequest, "createPayment", "of its own", []Type{TypePaymentPending}},
		{CauseRequest, "createPayment", "of its own, without a payment method", []Type{TypePaymentFailed}},
		{CauseRequest, "createPayment", "of a subscription's invoice", nil},
		{CauseRequest, "createInvoice", "", []Type{TypeInvoiceCreated}},
		{CauseRequest, "updateInvoice", "", []Type{TypeInvoiceUpdated}},
		{CauseRequest, "deleteInvoice", "", []Type{TypeInvoiceDeleted}},
		{CauseRequest, "finalizeInvoice", "", []Type{TypeInvoiceFinalized}},
		{CauseRequest, "finalizeInvoice", "credit covers it", []Type{TypeInvoiceFinalized, TypeInvoicePaid}},
		{CauseRequest, "finalizeInvoice", "a credit grant covers it, and nothing is left of that",
			[]Type{TypeInvoiceFinalized, TypeCreditGrantDepleted, TypeInvoicePaid}},
		{CauseRequest, "finalizeInvoice", "of a subscription", []Type{TypeInvoiceFinalized}},
		{CauseRequest, "finalizeInvoice", "without a payment method", then([]Type{TypeInvoiceFinalized}, missed...)},
		{CauseRequest, "payInvoice", "", nil},
		{CauseRequest, "renewInvoiceLink", "", nil},
		{CauseRequest, "voidInvoice", "", []Type{TypeInvoiceVoided}},
		{CauseRequest, "voidInvoice", "of a past-due subscription", []Type{TypeInvoiceVoided, TypeSubscriptionActivated}},
		{CauseRequest, "voidInvoice", "that a change waits for", []Type{TypeSubscriptionUpdated, TypeInvoiceVoided}},
		{CauseRequest, "voidInvoice", "it had a coupon taken off", []Type{TypeInvoiceVoided, TypeSubscriptionUpdated}},
		{CauseRequest, "markInvoiceUncollectible", "", []Type{TypeInvoiceMarkedUncollectible}},
		{CauseRequest, "markInvoiceUncollectible", "of a past-due subscription",
			[]Type{TypeInvoiceMarkedUncollectible, TypeSubscriptionActivated}},
		{CauseRequest, "markInvoicePaid", "", paid},
		{CauseRequest, "markInvoicePaid", "of a past-due subscription", then(paid, TypeSubscriptionActivated)},
		{CauseRequest, "createCreditNote", "", []Type{TypeCreditNoteCreated}},
		{CauseRequest, "createCreditNote", "of all that is due of the first invoice",
			[]Type{TypeCreditNoteCreated, TypeInvoicePaid, TypeSubscriptionActivated}},
		{CauseRequest, "retryInvoice", "", nil},
		{CauseRequest, "skipInvoiceRetry", "", []Type{TypeInvoiceRetrySkipped}},
		{CauseRequest, "skipInvoiceRetry", "the last one", []Type{TypeInvoiceRetrySkipped, TypeSubscriptionPastDue}},
		{CauseRequest, "resumeCollection", "", []Type{TypeSubscriptionUpdated}},
		{CauseRequest, "updateSettings", "", []Type{TypeSettingsUpdated}},
		{CauseRequest, "updateSettings", "nothing changes", nil},
		{CauseRequest, "refundPayment", "", nil},
		{CauseRequest, "refundPayment", "of an invoice", []Type{TypeCreditNoteCreated}},
		{CauseRequest, "cancelPayment", "", nil},
		{CauseRequest, "retryRefund", "", nil},
		{CauseRequest, "creditRefund", "", nil},
		{CauseRequest, "createTestClock", "", nil},
		{CauseRequest, "advanceTestClock", "", nil},
		{CauseRequest, "stopTestClock", "", nil},
		{CauseRequest, "deleteTestClock", "", []Type{TypeTestClockDeleted}},
		{CauseRequest, "createWebhook", "", nil},
		{CauseRequest, "updateWebhook", "", nil},
		{CauseRequest, "disableWebhook", "", nil},
		{CauseRequest, "enableWebhook", "", nil},
		{CauseRequest, "deleteWebhook", "", nil},
		{CauseRequest, "rotateWebhookSecret", "", nil},
		{CauseRequest, "testWebhook", "", []Type{TypeWebhookEndpointTest}},
		{CauseRequest, "redeliverWebhooks", "", nil},
		{CauseRequest, "putEmailSettings", "", nil},
		{CauseRequest, "deleteEmailSettings", "", nil},
		{CauseRequest, "testEmailSettings", "", nil},
		{CauseRequest, "resendEmail", "", nil},
		{CauseRequest, "sendInvoice", "", nil},
		{CauseRequest, "createInvoiceTemplate", "", nil},
		{CauseRequest, "publishInvoiceTemplate", "", nil},
		{CauseRequest, "unpublishInvoiceTemplate", "", nil},
		{CauseRequest, "deleteInvoiceTemplate", "", nil},
		{CauseRequest, "previewInvoiceTemplate", "", nil},
		{CauseRequest, "previewInvoiceTemplatePDF", "", nil},
		{CauseRequest, "createPaymentProvider", "", nil},
		{CauseRequest, "createPaymentProvider", "the provider refuses the credentials", []Type{TypeProviderFailing}},
		{CauseRequest, "updatePaymentProvider", "", nil},
		{CauseRequest, "updatePaymentProvider", "the provider refuses the new credentials", []Type{TypeProviderFailing}},
		{CauseRequest, "testPaymentProvider", "the provider refuses the credentials", []Type{TypeProviderFailing}},
		{CauseRequest, "testPaymentProvider", "the provider takes the credentials again", []Type{TypeProviderRecovered}},
		{CauseRequest, "disablePaymentProvider", "", nil},
		{CauseRequest, "enablePaymentProvider", "", nil},
		{CauseRequest, "deletePaymentProvider", "", nil},
		{CauseRequest, "pausePaymentProvider", "", []Type{TypeProviderChargingPaused}},
		{CauseRequest, "pausePaymentProvider", "it is paused already", nil},
		{CauseRequest, "resumePaymentProvider", "", []Type{TypeProviderChargingResumed}},
		{CauseRequest, "replaceRoutingRules", "", nil},
		{CauseRequest, "pauseCharging", "", []Type{TypeChargingPaused}},
		{CauseRequest, "pauseCharging", "it is paused already", nil},
		{CauseRequest, "resumeCharging", "", []Type{TypeChargingResumed}},
		{CauseRequest, "resolvePayment", "succeeded", []Type{TypePaymentSuccess}},
		{CauseRequest, "resolvePayment", "failed", []Type{TypePaymentFailed}},
		{CauseRequest, "resolvePayment", "returned", []Type{TypePaymentFailed}},

		{CauseTimer, "begin", "", issued},
		{CauseTimer, "begin", "the period is free", []Type{TypeSubscriptionActivated}},
		{CauseTimer, "begin", "without a payment method", then(issued, missed...)},
		{CauseTimer, "trial_notice", "", []Type{TypeSubscriptionTrialWillEnd}},
		{CauseTimer, "trial_end", "", renewed(issued)},
		{CauseTimer, "trial_end", "without a payment method, where the plan pauses then", []Type{TypeSubscriptionPaused}},
		{CauseTimer, "trial_end", "without a payment method, where the plan cancels then", []Type{TypeSubscriptionCanceled}},
		{CauseTimer, "resume", "", resumed(issued)},
		{CauseTimer, "renewal_reminder", "", []Type{TypeSubscriptionRenewalReminder}},
		{CauseTimer, "renewal", "", renewed(issued)},
		{CauseTimer, "renewal", "credit covers the invoice", renewed(settled)},
		{CauseTimer, "renewal", "a credit grant covers the invoice, and nothing is left of that",
			renewed(append(issued[:2:2], TypeCreditGrantDepleted, TypeInvoicePaid))},
		{CauseTimer, "renewal", "to the plan that waited for it",
			after(TypeSubscriptionPlanChanged, TypeSubscriptionRenewed)(issued)},
		{CauseTimer, "renewal", "to the quantity that waited for it",
			after(TypeSubscriptionUpdated, TypeSubscriptionRenewed)(issued)},
		{CauseTimer, "renewal", "the environment has a grace for invoices", renewed([]Type{TypeInvoiceCreated})},
		{CauseTimer, "finalize_invoice", "", []Type{TypeInvoiceFinalized}},
		{CauseTimer, "bill_usage", "", []Type{TypeInvoiceUpdated, TypeInvoiceFinalized}},
		{CauseTimer, "finalize_invoice", "without a payment method", then([]Type{TypeInvoiceFinalized}, missed...)},
		{CauseTimer, "renewal", "the period is free, or the subscription is past due", renewed(nil)},
		{CauseTimer, "scheduled_change", "to a larger quantity",
			after(TypeSubscriptionUpdated, TypeSubscriptionUpdated)(issued)},
		{CauseTimer, "scheduled_change", "it is impossible", []Type{TypeSubscriptionChangeDropped, TypeSubscriptionUpdated}},
		{CauseTimer, "cancel", "", []Type{TypeSubscriptionCanceled}},
		{CauseTimer, "cancel", "prorations wait for the next invoice", after(TypeSubscriptionCanceled)(issued)},
		{CauseTimer, "payment_retry", "", nil},
		{CauseTimer, "payment_retry", "without a payment method", missed},
		{CauseTimer, "past_due_cancel", "", []Type{TypeSubscriptionCanceled}},
		{CauseTimer, "incomplete_end", "", []Type{TypeSubscriptionCanceled, TypeInvoiceVoided}},
		{CauseTimer, "pending_change_end", "",
			[]Type{TypeSubscriptionChangeDropped, TypeSubscriptionUpdated, TypeInvoiceVoided}},
		{CauseTimer, "invoice_overdue", "", []Type{TypeInvoiceOverdue, TypeSubscriptionPastDue}},
		{CauseTimer, "credit_grant_expired", "something is left of it", []Type{TypeCreditGrantExpired}},
		{CauseTimer, "payment_method_expiring", "", []Type{TypeMethodExpiring}},
		{CauseTimer, "overdue_state", "", []Type{TypeOverdueChanged}},
		{CauseTimer, "overdue_state", "that cancels subscriptions", []Type{TypeOverdueChanged, TypeSubscriptionCanceled}},
		{CauseTimer, "invoice_overdue", "of a manual invoice", []Type{TypeInvoiceOverdue}},
		{CauseTimer, "invoice_overdue", "the subscription is canceled", []Type{TypeInvoiceOverdue}},

		{CauseUsage, "limit_reached", "", []Type{TypeFeatureLimitReached}},
		{CauseUsage, "threshold_reached", "", []Type{TypeUsageThresholdReached}},
		{CauseUsage, "threshold_reached", "that bills at once", after(TypeUsageThresholdReached)(issued)},

		{CauseProvider, "succeeded", "the first invoice", then(paid, TypeSubscriptionActivated)},
		{CauseProvider, "succeeded", "a later invoice", paid},
		{CauseProvider, "succeeded", "an invoice that a change of plan waits for",
			then(paid, TypeSubscriptionPlanChanged, TypeSubscriptionUpdated)},
		{CauseProvider, "succeeded", "an invoice of a past-due subscription", then(paid, TypeSubscriptionActivated)},
		{CauseProvider, "succeeded", "the last debt of a customer in a state of the overdue policy",
			then(paid, TypeSubscriptionActivated, TypeOverdueChanged)},
		{CauseProvider, "succeeded", "an invoice of a past-due subscription whose current period is not billed: it is now",
			then(then(paid, TypeSubscriptionActivated), issued...)},
		{CauseProvider, "succeeded", "an invoice that is void: the money goes back", []Type{TypePaymentSuccess}},
		{CauseProvider, "succeeded", "a payment of its own", []Type{TypePaymentSuccess}},
		{CauseProvider, "succeeded", "a refund", []Type{TypePaymentRefunded}},
		{CauseProvider, "succeeded", "another amount than asked for", []Type{TypePaymentNeedsReview}},
		{CauseProvider, "succeeded", "refunded at the provider, without us", []Type{TypePaymentRefunded}},
		{CauseProvider, "succeeded", "a payment of its own, the first request since our credentials were refused",
			[]Type{TypeProviderRecovered, TypePaymentSuccess}},
		{
			CauseProvider, "succeeded", "a payment whose payer has disputed it",
			[]Type{TypePaymentRefunded, TypeDisputeCreated},
		},
		{CauseProvider, "succeeded", "a payment whose dispute was answered", []Type{TypeDisputeUpdated}},
		{CauseProvider, "succeeded", "a payment whose dispute was won", []Type{TypeDisputeClosed}},
		{CauseProvider, "declined", "an invoice", missed},
		{CauseProvider, "declined", "an invoice, and the overdue policy has a state for it", then(missed, TypeOverdueChanged)},
		{CauseProvider, "declined", "the last retry of an invoice", then(missed, TypeSubscriptionPastDue)},
		{CauseProvider, "declined", "a payment of its own", []Type{TypePaymentFailed}},
		{CauseProvider, "failed", "an invoice", missed},
		{CauseProvider, "failed", "a refund, also one that had gone through", []Type{TypePaymentRefundFailed}},
		{CauseProvider, "canceled", "the attempt of a canceled subscription", []Type{TypePaymentCanceled}},
		{CauseProvider, "pending", "an invoice", []Type{TypePaymentPending}},
		{CauseProvider, "pending", "an invoice whose payer must confirm the payment",
			[]Type{TypePaymentPending, TypePaymentActionRequired}},
		{CauseProvider, "canceled", "an attempt that its payer did not confirm in time", missed},
		{CauseProvider, "unknown", "", nil},
		{CauseProvider, "not_sent", "", nil},
		{CauseProvider, "not_sent", "our credentials are refused (401, 403), which is news", []Type{TypeProviderFailing}},
		{CauseProvider, "not_found", "a charge that the provider never received", missed},

		{CauseClock, "the advance ends", "", []Type{TypeTestClockAdvanced}},

		{CauseErasure, "a subscription of the customer is canceled", "", []Type{TypeSubscriptionCanceled}},
		{CauseErasure, "a customer of the test clock is deleted", "", []Type{TypeCustomerDeleted}},

		{CauseWebhook, "an attempt fails", "", nil},
		{
			CauseWebhook, "an attempt fails", "the last of a delivery, and the endpoint has failed for three days",
			[]Type{TypeWebhookEndpointDisabled},
		},
		{CauseWebhook, "an attempt fails", "the receiver answers 410", []Type{TypeWebhookEndpointDisabled}},

		{CauseEmail, "an attempt fails", "and another one is possible", nil},
		{CauseEmail, "an attempt fails", "the mail server refuses the mail for good", []Type{TypeEmailFailed}},
	}
}
