package tenancy

import (
	"cmp"
	"context"
	"reflect"

	"perennial/billing/audit"
	"perennial/billing/country"
	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/overdue"
	"perennial/billing/proration"
	"perennial/billing/subscription"
	"perennial/billing/text"
	"perennial/db"
	"perennial/service/usecase"
)

// SettingsUpdate changes the fields that are not nil.
type SettingsUpdate struct {
	Dunning        *dunning.Policy // replaces the whole policy
	Overdue        *overdue.Policy // replaces the whole policy; customers with open invoices follow it within minutes
	PastDueBilling *subscription.PastDueBilling
	// RenewalReminderDays counts from a subscription's next change or period on.
	RenewalReminderDays *int
	InvoiceGraceMinutes *int               // of renewals from now on
	InvoiceLinkDays     *int               // of all invoices
	InvoiceNumbers      *invoice.Numbering // of invoices that are issued from now on
	Seller              *invoice.Seller    // of invoices that are issued from now on
	ProrationMeasure    *proration.Measure // of periods that begin from now on
}

// apply changes s and names the fields that changed.
func (u SettingsUpdate) apply(s *subscription.Settings) (changed []string) {
	if u.Dunning != nil && !reflect.DeepEqual(*u.Dunning, s.Dunning) {
		s.Dunning, changed = *u.Dunning, append(changed, "dunning")
	}
	if u.Overdue != nil && !reflect.DeepEqual(*u.Overdue, s.Overdue) {
		s.Overdue, changed = *u.Overdue, append(changed, "overduePolicy")
	}
	if u.PastDueBilling != nil && *u.PastDueBilling != s.PastDueBilling {
		s.PastDueBilling, changed = *u.PastDueBilling, append(changed, "pastDueBilling")
	}
	if u.RenewalReminderDays != nil && *u.RenewalReminderDays != s.RenewalReminderDays {
		s.RenewalReminderDays, changed = *u.RenewalReminderDays, append(changed, "renewalReminderDays")
	}
	if u.InvoiceLinkDays != nil && *u.InvoiceLinkDays != s.InvoiceLinkDays {
		s.InvoiceLinkDays, changed = *u.InvoiceLinkDays, append(changed, "invoiceLinkDays")
	}
	if u.InvoiceGraceMinutes != nil && *u.InvoiceGraceMinutes != s.InvoiceGraceMinutes {
		s.InvoiceGraceMinutes, changed = *u.InvoiceGraceMinutes, append(changed, "invoiceGraceMinutes")
	}
	if u.InvoiceNumbers != nil && *u.InvoiceNumbers != s.InvoiceNumbers {
		s.InvoiceNumbers, changed = *u.InvoiceNumbers, append(changed, "invoiceNumbers")
	}
	if u.Seller != nil && *u.Seller != s.Seller {
		s.Seller, changed = *u.Seller, append(changed, "seller")
	}
	if u.ProrationMeasure != nil && *u.ProrationMeasure != cmp.Or(s.ProrationMeasure, proration.Second) {
		s.ProrationMeasure, changed = *u.ProrationMeasure, append(changed, "prorationMeasure")
	}
	return changed
}

// checkSeller checks texts and a new country, which the rules do not. Faults: those of text and country.Check.
func checkSeller(was, s invoice.Seller) error {
	err := country.CheckNew(was.Country, s.Country)
	if err != nil {
		err = fault.From(err).In("seller.country")
	}
	return fault.Joined(err, text.Check("seller.name", s.Name), text.Check("seller.address", s.Address),
		text.Check("seller.taxId", s.TaxID), text.Check("seller.email", s.Email))
}

// UpdateSettings changes the settings of the caller's environment, and announces and records the changes, if any. A
// scheduled retry stays. A subscription that is past due follows a new final action cancel with its next change or
// period, and a pause neither begins nor ends. Faults: those of subscription.Settings.Validate.
func (s *Service) UpdateSettings(
	ctx context.Context, by usecase.Caller, u SettingsUpdate, also usecase.Also[subscription.Settings],
) (subscription.Settings, error) {
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (subscription.Settings, error) {
		was, err := tx.Tenancy.LockSettings(ctx, by.EnvironmentID)
		if err != nil {
			return was, err
		}
		is := was
		changed := u.apply(&is)
		tx.AuditChanges(audit.Changes("environment", changed, was, is)...)
		if len(changed) == 0 {
			return was, nil
		}
		if err := fault.Joined(is.Validate(), checkSeller(was.Seller, is.Seller)); err != nil {
			return was, err
		}
		if err := tx.Tenancy.SaveSettings(ctx, by.EnvironmentID, was, is); err != nil {
			return was, err
		}
		return is, tx.Emit(ctx, by.EnvironmentID,
			event.New(event.SettingsUpdated{ID: by.EnvironmentID, Changed: changed}, s.Now()))
	})
}
