package moving

import (
	"cmp"
	"reflect"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// SettingsID is the id of the record of settings: an environment has one.
const SettingsID = "settings"

// Settings is the record of the settings of an environment. Absent fields stay as they are there.
type Settings struct {
	TimeZone            string                      `json:"timeZone,omitempty"` // of the environment; it cannot change
	PastDueBilling      subscription.PastDueBilling `json:"pastDueBilling,omitempty"`
	RenewalReminderDays *int                        `json:"renewalReminderDays,omitempty"`
	InvoiceGraceMinutes *int                        `json:"invoiceGraceMinutes,omitempty"`
	InvoiceLinkDays     *int                        `json:"invoiceLinkDays,omitempty"`
	InvoiceNumbers      *invoice.Numbering          `json:"invoiceNumbers,omitempty"`
	ProrationMeasure    proration.Measure           `json:"prorationMeasure,omitempty"`
	Seller              *invoice.Seller             `json:"seller,omitempty"`
	Dunning             *dunning.Dunning            `json:"dunning,omitempty"`
	OverduePolicy       *OverduePolicy              `json:"overduePolicy,omitempty"`
}

// SettingsOf returns the record of settings.
func SettingsOf(s subscription.Settings) Settings {
	r := Settings{
		TimeZone: s.TimeZone, PastDueBilling: s.PastDueBilling, RenewalReminderDays: &s.RenewalReminderDays,
		InvoiceGraceMinutes: &s.InvoiceGraceMinutes, InvoiceLinkDays: &s.InvoiceLinkDays,
		InvoiceNumbers:   &s.InvoiceNumbers,
		ProrationMeasure: cmp.Or(s.ProrationMeasure, proration.Second), Dunning: DunningOf(&s.Dunning),
	}
	if s.Seller != (invoice.Seller{}) {
		r.Seller = &s.Seller
	}
	if !s.Overdue.IsZero() {
		policy := OverdueOf(s.Overdue)
		r.OverduePolicy = &policy
	}
	return r
}

// On returns settings as the record has them, with the names of the fields that change. Only those of a new environment
// change: others were chosen there. Faults: import_time_zone, import_settings_changed, those of subscription.Settings.
func (r Settings) On(s subscription.Settings) (is subscription.Settings, changed []string, err error) {
	is = s
	if r.TimeZone != "" && r.TimeZone != s.TimeZone {
		return s, nil, fault.InvalidParam("timeZone", "import_time_zone",
			"The environment has the time zone %s, which was chosen with it. Omit `timeZone`, or import into an environment "+
				"that was created with %.60s.", s.TimeZone, r.TimeZone)
	}
	is.PastDueBilling = cmp.Or(r.PastDueBilling, s.PastDueBilling)
	is.RenewalReminderDays = *cmp.Or(r.RenewalReminderDays, &s.RenewalReminderDays)
	is.InvoiceGraceMinutes = *cmp.Or(r.InvoiceGraceMinutes, &s.InvoiceGraceMinutes)
	is.InvoiceLinkDays = *cmp.Or(r.InvoiceLinkDays, &s.InvoiceLinkDays)
	is.InvoiceNumbers = *cmp.Or(r.InvoiceNumbers, &s.InvoiceNumbers)
	is.Seller = *cmp.Or(r.Seller, &s.Seller)
	if r.ProrationMeasure != "" && r.ProrationMeasure != cmp.Or(s.ProrationMeasure, proration.Second) {
		is.ProrationMeasure = r.ProrationMeasure
	}
	if r.Dunning != nil {
		if is.Dunning, err = r.Dunning.Policy(); err != nil {
			return s, nil, err
		}
	}
	policy, err := r.OverduePolicy.read()
	if err != nil {
		return s, nil, err
	}
	is.Overdue = *cmp.Or(policy, &s.Overdue)
	initial := subscription.DefaultSettings()
	for _, f := range []struct {
		name           string
		differs, given bool // given: the environment has another value than a new one
	}{
		{"dunning", !reflect.DeepEqual(is.Dunning, s.Dunning), !reflect.DeepEqual(s.Dunning, initial.Dunning)},
		{"overduePolicy", !reflect.DeepEqual(is.Overdue, s.Overdue), !s.Overdue.IsZero()},
		{"pastDueBilling", is.PastDueBilling != s.PastDueBilling, s.PastDueBilling != initial.PastDueBilling},
		{"renewalReminderDays", is.RenewalReminderDays != s.RenewalReminderDays,
			s.RenewalReminderDays != initial.RenewalReminderDays},
		{"invoiceGraceMinutes", is.InvoiceGraceMinutes != s.InvoiceGraceMinutes,
			s.InvoiceGraceMinutes != initial.InvoiceGraceMinutes},
		{"invoiceLinkDays", is.InvoiceLinkDays != s.InvoiceLinkDays, s.InvoiceLinkDays != initial.InvoiceLinkDays},
		{"invoiceNumbers", is.InvoiceNumbers != s.InvoiceNumbers, s.InvoiceNumbers != initial.InvoiceNumbers},
		{"seller", is.Seller != s.Seller, s.Seller != initial.Seller},
		{"prorationMeasure", is.ProrationMeasure != s.ProrationMeasure, s.ProrationMeasure != initial.ProrationMeasure},
	} {
		switch {
		case f.differs && f.given:
			return s, nil, fault.New(fault.Conflict, "import_settings_changed",
				"The environment has a setting of its own for `%s`. Omit the field, or change the setting by the API.", f.name).
				In(f.name)
		case f.differs:
			changed = append(changed, f.name)
		}
	}
	return is, changed, is.Validate()
}
