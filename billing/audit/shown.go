package audit

import "slices"

// shown lists, by object, the fields whose values entries hold: codes, switches, amounts, times and ids, which are
// neither personal nor secret, whatever a caller writes into them. Other fields are named without their values. Free
// text (names, descriptions, notes, reasons, memos, metadata), addresses of all kinds, and credentials never belong
// here: entries cannot be erased.
var shown = map[string][]string{
	"api_key":     {"expiresAt", "kind", "revokedAt"},
	"coupon":      {"active", "currency", "duration", "maxRedemptions", "percent", "periods", "redeemBy", "amount"},
	"credit_note": {"amount", "reason"},
	"credit_grant": {
		"amount", "currency", "expiresAt", "priority", "remaining", "voidedAt",
	},
	"customer": {"taxExempt"},
	"environment": {
		"pastDueBilling", "prorationMeasure", "renewalReminderDays", "invoiceGraceMinutes", "chargingPausedAt",
	},
	"invoice": {
		"amountDue", "amountPaid", "amount", "collectionMethod", "currency", "customerId", "dueAt",
		"netDays", "nextAttemptAt",
		"paidAt", "status", "uncollectibleAt", "voidedAt",
	},
	"metric": {"active", "aggregation"},
	"payment": {
		"amount", "amountRefunded", "cancelRequestedAt", "currency", "customerId", "invoiceId", "outcome", "refundOwed",
		"status", "subscriptionId",
	},
	"payment_provider": {"disabledAt", "isPrimary", "maxRequestsPerSecond", "primary", "priority", "provider"},
	"plan": {
		"active", "amount", "currency", "effective", "interval", "intervalCount", "kind", "productId", "prorationMeasure",
		"trialDays", "trialEndBehavior", "version",
	},
	"product": {"active"},
	"subscription": {
		"anchorAt", "billingAnchor", "cancelAtPeriodEnd", "canceledAt", "collectionMethod", "collectionPausedAt", "credit",
		"currency", "customerId", "effective", "effectiveAt", "immediateEffect", "netDays", "pastDueAt", "pausedAt",
		"paymentMethodId", "pendingPlanId", "pendingQuantity", "planId", "planVersion", "prorationBehavior", "quantity", "refund", "resumesAt",
		"startsAt", "status", "trialDays", "trialEndsAt",
	},
	"tax_rate":         {"archived", "archivedAt", "country", "inclusive", "percent", "stacks"},
	"test_clock":       {"status", "target", "to"},
	"webhook_endpoint": {"payloadShape", "status"},
}

// Shown reports whether entries may have the values of an object's field.
func Shown(object, field string) bool { return slices.Contains(shown[object], field) }
