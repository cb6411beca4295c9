package event_test

import "perennial/billing/event"

var (
	about = event.OfSubscription("sub_1", "cust_1")
	bill  = event.Invoice{
		ID: "in_1", CustomerID: "cust_1", SubscriptionID: "sub_1",
		Discount: 100,
		Object:   event.InvoiceObject{ID: "in_1", Object: "invoice", AmountDue: 1900, Status: "open", Currency: "USD"},
	}
	charge = event.Payment{
		ID: "txn_1", CustomerID: "cust_1", Amount: 1900, Currency: "USD", SubscriptionID: "sub_1",
		InvoiceID: "in_1", ChargeID: "txn_0",
	}
	account = event.ProviderConfig{ID: "pp_1", Provider: "stripe"}
	grant   = event.CreditGrant{ID: "crg_1", CustomerID: "cust_1", Amount: 5000, Currency: "USD"}
	changed = []string{"name"}
)

func billOf(status string) event.Invoice {
	i := bill
	i.Object.Status = status
	return i
}

func objection(status string) event.Dispute {
	return event.Dispute{
		ID: "dsp_1", ChargeID: "txn_1", CustomerID: "cust_1", SubscriptionID: "sub_1", InvoiceID: "in_1", Reference: "du_1",
		Stage: "chargeback", Status: status, Reason: "fraudulent", Amount: 1900, Currency: "USD", AmountWithdrawn: 1900,
		EvidenceDueAt: 1764244800,
	}
}

// examples has one of each type with every field set, in the order of the catalogue.
var examples = []event.Data{
	event.SubscriptionCreated{Subscription: about, Status: "trialing", PlanID: "plan_1"},
	event.SubscriptionUpdated{Subscription: about, Status: "active", PlanID: "plan_1", Changed: []string{"planId"}},
	event.SubscriptionPlanChanged{Subscription: about, Status: "active", PlanID: "plan_2", PreviousPlanID: "plan_1"},
	event.SubscriptionCancelScheduled{
		Subscription: about, Status: "active", CancelAt: 1766232000, CancelReason: "moving to another tool",
	},
	event.SubscriptionReactivated{Subscription: about, Status: "active"},
	event.SubscriptionTrialWillEnd{
		Subscription: about, PlanID: "plan_1", TrialEndsAt: 1763899200, CancelAtPeriodEnd: true,
	},
	event.SubscriptionRenewalReminder{
		Subscription: about, PlanID: "plan_1", RenewsAt: 1766232000, Amount: 5000, Currency: "XAF",
	},
	event.SubscriptionRenewed{
		Subscription: about, Status: "active", PlanID: "plan_1", CurrentPeriodStart: 1763640000, CurrentPeriodEnd: 1766232000,
	},
	event.SubscriptionActivated{Subscription: about},
	event.SubscriptionPastDue{Subscription: about, FailedPaymentAttempts: 4, CollectionPaused: true},
	event.SubscriptionPaused{Subscription: about, Reason: "requested", ResumesAt: 1766232000},
	event.SubscriptionResumed{Subscription: about, Status: "active", PlanID: "plan_1"},
	event.SubscriptionCanceled{Subscription: about, CancelReason: "past_due_expired"},
	event.SubscriptionChangeDropped{
		Subscription: about, ScheduledChangeID: "chg_01jcz6dyqx4w9s1c2k7v5h8m3n", EffectiveAt: 1764849600,
		Reason: "subscription_canceled",
	},
	event.InvoiceCreated{Invoice: bill},
	event.InvoiceUpdated{Invoice: billOf("draft")},
	event.InvoiceDeleted{Invoice: billOf("draft")},
	event.InvoiceFinalized{Invoice: bill},
	event.InvoicePaid{Invoice: billOf("paid")},
	event.InvoicePaymentFailed{Invoice: bill, AttemptNumber: 1, NextPaymentAttemptAt: 1763726400},
	event.InvoiceRetrySkipped{Invoice: bill, NextPaymentAttemptAt: 1763726400},
	event.InvoiceVoided{Invoice: billOf("void")},
	event.InvoiceMarkedUncollectible{Invoice: billOf("uncollectible")},
	event.InvoiceOverdue{Invoice: bill, DueAt: 1766232000},
	event.CreditNoteCreated{CreditNote: event.CreditNote{
		ID: "cn_1", CustomerID: "cust_1", SubscriptionID: "sub_1", InvoiceID: "in_1", Amount: 500, Currency: "USD",
		Reason: "goodwill",
	}},
	event.PaymentPending{Payment: charge},
	event.PaymentActionRequired{
		Payment: charge, ConfirmURL: "https://billing.example.com/confirm/4LTZ6E3Y2NQ5WCJD7ROKAHVSXM", ConfirmBy: 1763726400,
	},
	event.PaymentSuccess{Payment: charge},
	event.PaymentFailed{
		Payment: charge, FailureReason: "Your card was declined.", FailureCode: "DECLINED", AttemptNumber: 1,
	},
	event.PaymentCanceled{Payment: charge},
	event.PaymentRefunded{Payment: charge},
	event.PaymentRefundFailed{Payment: charge, FailureReason: "The account is closed."},
	event.PaymentNeedsReview{Payment: charge, Reason: "amount_mismatch", ProviderRef: "pi_1"},
	event.DisputeCreated{Dispute: objection("open")},
	event.DisputeUpdated{Dispute: objection("under_review")},
	event.DisputeClosed{Dispute: objection("lost")},
	event.ProviderFailing{ProviderConfig: account, Reason: "credentials_refused"},
	event.ProviderRecovered{ProviderConfig: account},
	event.ProviderChargingPaused{ProviderConfig: account, By: event.Actor{Kind: "key", ID: "key_1"}},
	event.ProviderChargingResumed{ProviderConfig: account, By: event.Actor{Kind: "key", ID: "key_1"}},
	event.ChargingPaused{ID: "env_1", By: event.Actor{Kind: "key", ID: "key_1"}},
	event.ChargingResumed{ID: "env_1", By: event.Actor{Kind: "key", ID: "key_1"}},
	event.CustomerCreated{ID: "cust_1"},
	event.CustomerUpdated{ID: "cust_1", Changed: changed},
	event.CustomerDeleted{ID: "cust_1"},
	event.MethodExpiring{ID: "cust_1", PaymentMethodID: "pm_1", Expiry: "2028-08", Default: true},
	event.OverdueStateChanged{
		ID: "cust_1", State: "blocked", FormerState: "warned", AccessDenied: true, CancelsSubscriptions: true, NeedsPerson: true,
		Invoices: 3, Amounts: []event.OverdueAmount{{Currency: "USD", Amount: 4500}}, OldestAt: 1763640000,
	},
	event.BalanceAdjusted{ID: "cr_1", CustomerID: "cust_1", Amount: 500, Currency: "USD", Balance: 500},
	event.CreditGrantCreated{CreditGrant: grant},
	event.CreditGrantDepleted{CreditGrant: grant, InvoiceID: "in_1", SubscriptionID: "sub_1"},
	event.CreditGrantExpired{CreditGrant: grant, AmountExpired: 1200},
	event.CreditGrantVoided{CreditGrant: grant, AmountVoided: 1200},
	event.PlanCreated{ID: "plan_1"},
	event.PlanUpdated{ID: "plan_1", Changed: changed},
	event.ProductCreated{ID: "prod_1"}, event.ProductUpdated{ID: "prod_1", Changed: changed},
	event.TaxRateCreated{ID: "txr_1"}, event.TaxRateUpdated{ID: "txr_1", Changed: changed},
	event.CouponCreated{ID: "coup_1"}, event.CouponUpdated{ID: "coup_1", Changed: changed},
	event.MetricCreated{ID: "met_1"}, event.MetricUpdated{ID: "met_1", Changed: changed},
	event.UsageThresholdReached{
		Subscription: about, Amount: 50_000, Percent: "80", MetricName: "api_calls", Quantity: "100000", Currency: "USD",
		Spent: 50_120, PeriodIndex: 3, PeriodStart: 1763640000, PeriodEnd: 1766232000,
	},
	event.FeatureLimitReached{
		ID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", Feature: "api_calls", Limit: 10_000, Used: "10003", Allowed: true,
		ResetsAt: 1766232000,
	},
	event.SettingsUpdated{ID: "env_1", Changed: []string{"dunning"}},
	event.APIKeyCreated{ID: "key_2", Replaces: "key_1"}, event.APIKeyUpdated{ID: "key_1", Changed: changed},
	event.APIKeyRevoked{ID: "key_1", EndsAt: 1763640000},
	event.TestClockAdvanced{ID: "clk_1", Now: 1766232000, BlockedBy: []string{"txn_1"}},
	event.TestClockDeleted{ID: "clk_1"},
	event.WebhookEndpointDisabled{ID: "whe_1", Reason: "gone", FailingSince: 1763640000},
	event.WebhookEndpointTest{ID: "whe_1"},
	event.EmailFailed{
		ID: "em_1", CustomerID: "cust_1", Kind: "invoice_issued", ObjectID: "in_1", Reason: "refused", Code: "550",
	},
}
