package subscription

import (
	"cmp"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
)

// PastDueBilling says what boundaries do while a subscription is past due.
type PastDueBilling string

// The two ways.
const (
	SkipPastDue   PastDueBilling = "skip"   // periods that pass unpaid are never billed (default)
	AccruePastDue PastDueBilling = "accrue" // every period is billed
)

// maxReminder is how many days before a renewal it can be announced: less than the shortest month.
const maxReminder = 28

// maxGraceMinutes bounds how long an invoice is a draft: what is not paid meanwhile is lent.
const maxGraceMinutes = 7 * 24 * 60

// Settings are an environment's choices that the rules depend on.
type Settings struct {
	TimeZone       string
	Dunning        dunning.Policy
	PastDueBilling PastDueBilling
	// RenewalReminderDays is how long before a renewal that asks the payer it is announced; 0: it is not.
	RenewalReminderDays int
	// InvoiceGraceMinutes is how many minutes the invoice of a renewal is a draft; 0: it is issued at once.
	InvoiceGraceMinutes int
	// InvoiceNumbers is how the numbers of new invoices are shown. The database writes them.
	InvoiceNumbers invoice.Numbering
	// Seller is who issues the invoices, as new ones show it. The database writes it on them.
	Seller invoice.Seller
	// ProrationMeasure divides the periods of plans without a measure of their own. Empty: proration.Second.
	ProrationMeasure proration.Measure
}

// For returns the settings for subscriptions to a plan of a customer with a dunning policy; nil: the customer has none,
// so that the plan's counts, and where it has none, that of the environment.
func (s Settings) For(p plan.Plan, customers *dunning.Policy) Settings {
	if own := cmp.Or(customers, p.Dunning); own != nil {
		s.Dunning = *own
	}
	return s
}

// Measure returns what divides a period that begins on a plan.
func (s Settings) Measure(p plan.Plan) proration.Measure {
	return cmp.Or(p.ProrationMeasure, s.ProrationMeasure)
}

// DefaultSettings are those of an environment for which nothing was chosen.
func DefaultSettings() Settings {
	return Settings{TimeZone: "UTC", Dunning: dunning.Default(), PastDueBilling: SkipPastDue, RenewalReminderDays: 1}
}

// Validate returns a fault for the first field that the rules cannot work with: time_zone_unknown,
// past_due_billing_unknown, renewal_reminder_days_out_of_range, invoice_grace_out_of_range, proration_measure_unknown,
// those of invoice.Numbering, invoice.Seller and dunning.Policy.
func (s Settings) Validate() error {
	if _, err := period.LoadLocation(s.TimeZone); err != nil {
		return err
	}
	if s.PastDueBilling != SkipPastDue && s.PastDueBilling != AccruePastDue {
		return fault.InvalidParam("pastDueBilling", "past_due_billing_unknown",
			"`pastDueBilling` cannot be %.40q. Send `%s` or `%s`.", s.PastDueBilling, SkipPastDue, AccruePastDue)
	}
	if s.RenewalReminderDays < 0 || s.RenewalReminderDays > maxReminder {
		return fault.InvalidParam("renewalReminderDays", "renewal_reminder_days_out_of_range",
			"`renewalReminderDays` must be 1 to %d, or 0 to send no reminders.", maxReminder)
	}
	if s.InvoiceGraceMinutes < 0 || s.InvoiceGraceMinutes > maxGraceMinutes {
		return fault.InvalidParam("invoiceGraceMinutes", "invoice_grace_out_of_range",
			"`invoiceGraceMinutes` must be 1 to %d, which is a week, or 0 to issue every invoice at once.", maxGraceMinutes)
	}
	if s.ProrationMeasure != "" {
		if err := s.ProrationMeasure.Validate(); err != nil {
			return err
		}
	}
	if err := s.InvoiceNumbers.Validate(); err != nil {
		return err
	}
	if err := s.Seller.Validate(); err != nil {
		return err
	}
	return s.Dunning.Validate()
}
