package letters

import "perennial/billing/email"

var english = texts{
	Hello: "Hello {customer},", Greeting: "Hello,",
	Pay: "Pay invoice", View: "View invoice", Confirm: "Confirm payment",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"Invoice {number} from {seller}", []string{
			"Your invoice {number} of {amount} is attached.", "Please pay it by {due}.",
		}, nil},
		email.Receipt: {"Receipt from {seller}: {amount}", []string{
			"We received your payment of {amount} on {date}. Thank you.", "It was for invoice {number}.", "Your receipt is attached.",
		}, nil},
		email.PaymentFailed: {"Your payment to {seller} did not succeed", []string{
			"Your payment of {amount} did not succeed.", "It was for invoice {number}.", "We will try again on {next}.",
			"Please check your payment method, or choose another one.",
		}, nil},
		email.ConfirmationNeeded: {"Please confirm your payment to {seller}", []string{
			"Your payment of {amount} needs your confirmation.", "It is for invoice {number}.",
			"Please confirm it by {by}, by this link:",
		}, nil},
		email.TrialWillEnd: {"Your trial of {plan} ends on {date}", []string{
			"Your trial of {plan} ends on {date}. After that, the subscription is paid.",
		}, []string{"Your trial of {plan} ends on {date}. Your subscription ends with it, and you pay nothing."}},
		email.RenewalReminder: {"Your subscription to {plan} renews on {date}", []string{
			"Your subscription to {plan} renews on {date} and costs {amount}.",
			"On that day you will be asked to approve the payment.",
		}, nil},
		email.CardWillExpire: {"Your card expires soon", []string{
			"Your card {card}, with which you pay {seller}, expires at the end of {expiry}.",
			"Please add a new one in time, so that your payments succeed.",
		}, nil},
		email.SubscriptionCanceled: {"Your subscription to {plan} has ended", []string{
			"Your subscription to {plan} ended on {date}.", "If you did not expect this, please contact us.",
		}, nil},
		email.CreditNote: {"Credit note {number} from {seller}", []string{
			"Your credit note {number} of {amount} is attached.", "It is for invoice {of}.",
		}, nil},
		email.Refund: {"Refund from {seller}: {amount}", []string{
			"We refunded {amount} to you on {date}.", "It was for invoice {number}.",
			"Your bank may need some days to show it.",
		}, nil},
	},
}
