package subscription

import (
	"cmp"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/overdue"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
)

// PastDueBilling is the treatment of boundaries while a subscription is past due.
type PastDueBilling string

// The values.
const (
	SkipPastDue   PastDueBilling = "skip"   // periods that pass unpaid are never billed (default)
	AccruePastDue PastDueBilling = "accrue" // every period is billed
)

// maxReminder bounds the days between a reminder and its renewal: less than the shortest month.
const maxReminder = 28

// maxGraceMinutes bounds the time of an invoice as a draft: its amount is lent meanwhile.
const maxGraceMinutes = 7 * 24 * 60

// maxLinkDays bounds the days for which links to invoices work: ten years, which is longer than invoices have to be
// kept in most countries.
const maxLinkDays = 3650

// Settings are an environment's settings of the billing rules.
type Settings struct {
	TimeZone string
	Dunning  dunning.Policy
	// Overdue is the policy for customers with several unpaid invoices. Without states there is none.
	Overdue        overdue.Policy
	PastDueBilling PastDueBilling
	// RenewalReminderDays is the number of days by which a reminder precedes a renewal that the payer confirms; 0: none is
	// sent.
	RenewalReminderDays int
	// InvoiceGraceMinutes is the time of a renewal's invoice as a draft, in minutes; 0: it is issued at once.
	InvoiceGraceMinutes int
	// InvoiceLinkDays is how long the link to an invoice's page works once nothing is to be paid any more, in days; 0: for
	// ever.
	InvoiceLinkDays int
	// InvoiceNumbers is the form of new invoice numbers. The database writes them.
	InvoiceNumbers invoice.Numbering
	// Seller is the issuer that new invoices show. The database writes it on them.
	Seller invoice.Seller
	// ProrationMeasure divides the periods of plans without a measure of their own. Empty: proration.Second.
	ProrationMeasure proration.Measure
}

// For returns the settings of a subscription. The dunning policy is the customer's (nil: none), or else the plan's, or
// else the environment's.
func (s Settings) For(p plan.Plan, customers *dunning.Policy) Settings {
	if own := cmp.Or(customers, p.Dunning); own != nil {
		s.Dunning = *own
	}
	return s
}

// Measure returns the measure that divides periods of a plan.
func (s Settings) Measure(p plan.Plan) proration.Measure {
	return cmp.Or(p.ProrationMeasure, s.ProrationMeasure)
}

// DefaultSettings returns the settings of a new environment.
func DefaultSettings() Settings {
	return Settings{TimeZone: "UTC", Dunning: dunning.Default(), PastDueBilling: SkipPastDue, RenewalReminderDays: 1}
}

// Validate returns a fault for the first invalid field: time_zone_unknown, past_due_billing_unknown,
// renewal_reminder_days_out_of_range, invoice_grace_out_of_range, invoice_link_days_out_of_range,
// proration_measure_unknown, those of invoice.Numbering, invoice.Seller, overdue.Policy and dunning.Policy.
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
	if s.InvoiceLinkDays < 0 || s.InvoiceLinkDays > maxLinkDays {
		return fault.InvalidParam("invoiceLinkDays", "invoice_link_days_out_of_range",
			"`invoiceLinkDays` must be 1 to %d, or 0 to let links to invoices work for ever.", maxLinkDays)
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
	if err := s.Overdue.Validate(); err != nil {
		return err
	}
	return s.Dunning.Validate()
}
