package catalog

import (
	"context"
	"time"

	"perennial/billing/audit"
	"perennial/billing/country"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/tax"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// CreateTaxRate stores d with a new id and dates. It applies to invoices that are issued from now on. Faults: those of
// tax.Definition.Validate, country.Check, checkTaxRate and of text.
func (s *Service) CreateTaxRate(
	ctx context.Context, by usecase.Caller, d tax.Definition, also usecase.Also[tax.Definition],
) (tax.Definition, error) {
	now := s.Now()
	d.ID, d.CreatedAt = id.New(id.TaxRate, now), now
	err := fault.Joined(d.Validate(), country.CheckNew("", d.Country),
		text.Check("name", d.Name))
	if err != nil {
		return d, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (tax.Definition, error) {
		if err := checkTaxRate(ctx, tx, by.EnvironmentID, d, false); err != nil {
			return d, err
		}
		if err := tx.Catalog.InsertTaxRate(ctx, by.EnvironmentID, d); err != nil {
			return d, err
		}
		return d, tx.Emit(ctx, by.EnvironmentID, event.New(event.TaxRateCreated{ID: d.ID}, now))
	})
}

// MaxTaxRates bounds the tax rates of an environment that are not archived: every decision reads those that may apply.
const MaxTaxRates = 100

// checkTaxRate refuses a rate beyond the limit, or one that would tax the same as another. said reports whether other
// rates with Stacks count: the creation of a rate must say it again. Concurrent requests wait for each other. Faults:
// tax_rate_limit, tax_rate_repeated.
func checkTaxRate(ctx context.Context, tx *db.Tx, environmentID string, d tax.Definition, said bool) error {
	if _, err := tx.Tenancy.LockSettings(ctx, environmentID); err != nil {
		return err
	}
	current := false
	rates, _, err := tx.Catalog.TaxRates(ctx, environmentID, db.TaxRateFilter{Archived: &current},
		db.Page{Limit: MaxTaxRates, Unsettled: true})
	if err != nil {
		return err
	}
	return RateFits(d, rates, said)
}

// RateFits refuses a rate beyond the limit, or one that would tax the same as one of the rates that are not archived.
// said reports whether other rates with Stacks count. Faults: tax_rate_limit, tax_rate_repeated.
func RateFits(d tax.Definition, rates []tax.Definition, said bool) error {
	if len(rates) >= MaxTaxRates {
		return fault.New(fault.Conflict, "tax_rate_limit",
			"The environment has %d tax rates, which is the most. Archive one first.", MaxTaxRates)
	}
	for _, other := range rates {
		if !d.Stacks && (!said || !other.Stacks) && d.Repeats(other) {
			return fault.New(fault.Conflict, "tax_rate_repeated",
				"The tax rate %s has the same percentage for the same category in the same place at the same time, so that "+
					"invoices would be taxed twice. Archive it first, or create this one with `stacks: true` if both taxes are due.", other.ID)
		}
	}
	return nil
}

// TaxRateUpdate changes the fields that are not nil. It does not change invoices that were issued.
type TaxRateUpdate struct {
	Name     *string
	Archived *bool
}

// UpdateTaxRate changes a tax rate, and announces the changes, if any. Faults: tax_rate_not_found, those of
// tax.Definition.Validate, checkTaxRate and of text.
func (s *Service) UpdateTaxRate(
	ctx context.Context, by usecase.Caller, taxRateID string, u TaxRateUpdate, also usecase.Also[tax.Definition],
) (tax.Definition, error) {
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (tax.Definition, error) {
		d, err := tx.Catalog.LockTaxRate(ctx, by.EnvironmentID, taxRateID)
		if err != nil {
			return d, err
		}
		now := s.Now()
		was := d
		var changed []string
		if u.Name != nil && *u.Name != d.Name {
			d.Name, changed = *u.Name, append(changed, "name")
		}
		if u.Archived != nil && *u.Archived == d.ArchivedAt.IsZero() {
			d.ArchivedAt, changed = archived(*u.Archived, now), append(changed, "archived")
			if !*u.Archived {
				if err := checkTaxRate(ctx, tx, by.EnvironmentID, d, true); err != nil {
					return d, err
				}
			}
		}
		tx.AuditChanges(audit.Changes("tax_rate", changed, was, d)...)
		if len(changed) == 0 {
			return d, nil
		}
		if err := fault.Joined(d.Validate(), text.Check("name", d.Name)); err != nil {
			return d, err
		}
		if err := tx.Catalog.SaveTaxRate(ctx, by.EnvironmentID, d); err != nil {
			return d, err
		}
		return d, tx.Emit(ctx, by.EnvironmentID, event.New(event.TaxRateUpdated{ID: d.ID, Changed: changed}, now))
	})
}

// archived returns the time of archiving: now, or never.
func archived(yes bool, now time.Time) time.Time {
	if yes {
		return now
	}
	return time.Time{}
}
