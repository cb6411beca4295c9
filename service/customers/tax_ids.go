package customers

import (
	"context"
	"time"

	"perennial/billing/audit"
	"perennial/billing/customer"
	"perennial/db"
	"perennial/service/usecase"
)

// TaxIDConfirmation confirms a tax id with the authority, or removes the confirmation.
type TaxIDConfirmation struct {
	Type, Value string
	TakenBack   bool
}

// ConfirmTaxID records that a person confirmed a customer's tax id, with the person and the time, until the number
// changes. A confirmed id gets the new person and time. Faults: customer_not_found, tax_id_unknown.
func (s *Service) ConfirmTaxID(
	ctx context.Context, by usecase.Caller, customerID string, in TaxIDConfirmation,
	also usecase.Also[customer.Customer],
) (customer.Customer, error) {
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (customer.Customer, error) {
		c, err := usecase.LockCustomer(ctx, tx, by.EnvironmentID, customerID)
		if err != nil {
			return c, err
		}
		was, at := c, s.Now().UTC().Truncate(time.Second) // real time: it is evidence, also on a test clock
		if in.TakenBack {
			at = time.Time{}
		}
		if c.TaxIDs, err = c.TaxIDs.Confirm(in.Type, in.Value, at, by.Actor.ID()); err != nil || c.TaxIDs.Equal(was.TaxIDs) {
			return c, err
		}
		changed := []string{"taxIds"}
		tx.AuditChanges(audit.Changes("customer", changed, was, c)...)
		return c, s.saveCustomer(ctx, tx, by, c, changed, false)
	})
}
