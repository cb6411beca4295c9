package timeline

import (
	"strconv"
	"strings"

	"perennial/billing/foresight"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// Foretell returns an expected action in words. currency is that of the subscription.
func Foretell(e foresight.Expected, currency money.Currency) string {
	text := happens(e)
	if e.PlanID != "" {
		text += " The plan changes to " + e.PlanID + "."
	}
	if e.Quantity != 0 {
		text += " The quantity changes to " + strconv.FormatInt(e.Quantity, 10) + "."
	}
	if e.AddOns != nil {
		text += " The add-ons change to " + listed(*e.AddOns) + "."
	}
	switch {
	case e.Amount > 0 && e.Estimated:
		text += " With the usage so far, " + money.Format(e.Amount, currency) + " is charged."
	case e.Amount > 0:
		text += " " + money.Format(e.Amount, currency) + " is charged."
	}
	return text
}

// trialEnds says how a trial ends, since not every one is followed by a period.
func trialEnds(e foresight.Expected) string {
	switch e.Status {
	case subscription.Canceled:
		return "The trial ends, and the subscription with it: there is no payment method."
	case subscription.Paused:
		return "The trial ends, and the subscription is paused: there is no payment method."
	default:
		return "The trial ends, and the first paid period begins."
	}
}

// listed names add-ons with their quantities.
func listed(addOns subscription.AddOns) string {
	if len(addOns) == 0 {
		return "none"
	}
	names := make([]string, len(addOns))
	for i, a := range addOns {
		names[i] = strconv.FormatInt(a.Quantity, 10) + " × " + a.ID
	}
	return strings.Join(names, ", ")
}

func happens(e foresight.Expected) string {
	switch e.Action {
	case subscription.ActionBegin:
		return "The first period begins."
	case subscription.ActionTrialNotice:
		return "The end of the trial is announced."
	case subscription.ActionTrialEnd:
		return trialEnds(e)
	case subscription.ActionRenewalReminder:
		return "The renewal is announced to the payer."
	case subscription.ActionScheduledChange:
		return "A scheduled change takes effect."
	case subscription.ActionRenewal:
		return "The next period begins."
	case subscription.ActionCancel:
		return "The subscription ends, as was scheduled."
	case subscription.ActionPaymentRetry:
		return "Retry " + strconv.Itoa(e.Retry) + " of " + strconv.Itoa(e.Retries) + " of the open invoice."
	case subscription.ActionResume:
		return "The pause ends, and a period begins."
	case subscription.ActionInvoiceOverdue:
		return "The time to pay the open invoice ends."
	case subscription.ActionFinalize:
		return "The draft of an invoice is finalized."
	case subscription.ActionBillUsage:
		return "The usage is rated, and the invoice that bills it is finalized."
	case subscription.ActionIncompleteEnd:
		return "The time to pay the first invoice ends, and the subscription with it."
	case subscription.ActionPendingChangeEnd:
		return "The time to pay for a change ends, and the change is withdrawn."
	case subscription.ActionPastDueEnd:
		return "The subscription ends: it was past due for too long."
	default:
		return string(e.Action)
	}
}
