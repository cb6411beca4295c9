// Package timeline owns the words for the life of a subscription: its past and its future. It owns neither the events
// (event) nor what is expected (foresight).
package timeline

import (
	"encoding/json"
	"strconv"
	"strings"

	"perennial/billing/event"
	"perennial/billing/money"
)

// Told is an event of a subscription in words, with its objects.
type Told struct {
	Text      string
	InvoiceID string
	PaymentID string
}

// fact has the fields of all events that the words need; each event has some of them.
type fact struct {
	ID             string              `json:"id"`
	Amount         money.Minor         `json:"amount"`
	Currency       money.Currency      `json:"currency"`
	InvoiceID      string              `json:"invoiceId"`
	ChargeID       string              `json:"chargeId"`
	Object         event.InvoiceObject `json:"object"`
	PlanID         string              `json:"planId"`
	PreviousPlanID string              `json:"previousPlanId"`
	Changed        []string            `json:"changed"`
	FailureCode    string              `json:"failureCode"`
	AttemptNumber  int                 `json:"attemptNumber"`
	FailedAttempts int                 `json:"failedPaymentAttempts"`
	Paused         bool                `json:"collectionPaused"`
	CancelReason   string              `json:"cancelReason"`
	Reason         string              `json:"reason"`
	Status         string              `json:"status"`
}

func (f fact) money() string { return money.Format(f.Amount, f.Currency) }

// bill names the invoice by what there is to pay.
func (f fact) bill() string {
	if f.Object.AmountDue == 0 {
		return "invoice with nothing to pay"
	}
	return "invoice for " + money.Format(money.Minor(f.Object.AmountDue), money.Currency(f.Object.Currency))
}

// words tell of each type of event that a subscription has.
var words = map[event.Type]func(fact) string{
	event.TypeSubscriptionCreated: func(f fact) string { return "The customer subscribed to " + f.PlanID + "." },
	event.TypeSubscriptionUpdated: func(f fact) string { return "Changed: " + strings.Join(f.Changed, ", ") + "." },
	event.TypeSubscriptionPlanChanged: func(f fact) string {
		return "The plan changed from " + f.PreviousPlanID + " to " + f.PlanID + "."
	},
	event.TypeSubscriptionCancelScheduled: func(f fact) string {
		return "The cancellation at the end of the period was scheduled" + because(f.CancelReason) + "."
	},
	event.TypeSubscriptionReactivated:  func(fact) string { return "The scheduled cancellation was withdrawn." },
	event.TypeSubscriptionTrialWillEnd: func(fact) string { return "The end of the trial was announced." },
	event.TypeSubscriptionRenewalReminder: func(f fact) string {
		return "The renewal for " +
			f.money() + " was announced."
	},
	event.TypeSubscriptionRenewed: func(fact) string { return "A period began." },
	event.TypeSubscriptionActivated: func(fact) string {
		return "The subscription was activated: what was open is paid, or nothing is to pay."
	},
	event.TypeSubscriptionPastDue: func(f fact) string {
		text := "The subscription is past due after " + count(f.FailedAttempts, "failed attempt") + "."
		if f.Paused {
			text += " Collection is paused."
		}
		return text
	},
	event.TypeSubscriptionPaused: func(f fact) string {
		return "The subscription was paused" +
			because(f.Reason) + "."
	},
	event.TypeSubscriptionResumed: func(fact) string { return "The pause ended." },
	event.TypeSubscriptionChangeDropped: func(f fact) string {
		return "A scheduled change was dropped" +
			because(f.Reason) + "."
	},
	event.TypeSubscriptionCanceled: func(f fact) string {
		return "The subscription ended" +
			because(f.CancelReason) + "."
	},

	event.TypeInvoiceCreated:   func(f fact) string { return "An " + f.bill() + " was created." },
	event.TypeInvoiceFinalized: func(f fact) string { return "The " + f.bill() + " got its number." },
	event.TypeInvoicePaid:      func(f fact) string { return "The " + f.bill() + " is paid." },
	event.TypeInvoicePaymentFailed: func(f fact) string {
		return "Attempt " + strconv.Itoa(f.AttemptNumber) + " to collect the " + f.bill() + " failed."
	},
	event.TypeInvoiceRetrySkipped: func(f fact) string { return "A retry of the " + f.bill() + " was skipped." },
	event.TypeInvoiceVoided:       func(f fact) string { return "The " + f.bill() + " was voided." },
	event.TypeInvoiceMarkedUncollectible: func(f fact) string {
		return "The " + f.bill() + " was marked uncollectible."
	},
	event.TypeInvoiceUpdated: func(f fact) string { return "The draft of an " + f.bill() + " was changed." },
	event.TypeInvoiceDeleted: func(f fact) string { return "The draft of an " + f.bill() + " was deleted." },
	event.TypeInvoiceOverdue: func(f fact) string { return "The " + f.bill() + " is overdue." },

	event.TypeCreditNoteCreated: func(f fact) string {
		return f.money() + " of the invoice " + f.InvoiceID + " was credited" + because(f.Reason) + "."
	},

	event.TypePaymentPending: func(f fact) string {
		return "A payment of " +
			f.money() + " waits for the provider or the payer."
	},
	event.TypePaymentActionRequired: func(f fact) string {
		return "The payer must confirm the payment of " +
			f.money() + "."
	},
	event.TypePaymentSuccess: func(f fact) string { return f.money() + " was paid." },
	event.TypePaymentFailed: func(f fact) string {
		return "A payment of " +
			f.money() + " failed" + because(f.FailureCode) + "."
	},
	event.TypePaymentCanceled:     func(f fact) string { return "A payment of " + f.money() + " was canceled." },
	event.TypePaymentRefunded:     func(f fact) string { return f.money() + " was refunded." },
	event.TypePaymentRefundFailed: func(f fact) string { return "A refund of " + f.money() + " failed; it stays owed." },
	event.TypePaymentNeedsReview: func(f fact) string {
		return "The payment of " + f.money() + " needs review" + because(f.Reason) + "."
	},
	event.TypeDisputeCreated: func(f fact) string { return "The payer disputes " + f.money() + because(f.Reason) + "." },
	event.TypeDisputeUpdated: func(f fact) string { return "The dispute of " + f.money() + " changed: " + f.Status + "." },
	event.TypeDisputeClosed: func(f fact) string {
		return "The dispute of " +
			f.money() + " is closed: " + f.Status + "."
	},
}

// Tell returns an event in words; a type without words is shown by its name, so that a newer build's events do not
// vanish. data is the stored JSON of the event.
func Tell(of event.Type, data json.RawMessage) Told {
	var f fact
	tell, ok := words[of]
	if err := json.Unmarshal(data, &f); err != nil || !ok {
		return Told{Text: string(of)}
	}
	told := Told{Text: tell(f), InvoiceID: f.InvoiceID}
	switch of.Group() {
	case "invoice":
		told.InvoiceID = f.ID
	case "payment":
		told.PaymentID = f.ID
	case "dispute":
		told.PaymentID = f.ChargeID
	}
	return told
}

// because is a reason in brackets; nothing for none.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
