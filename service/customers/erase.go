package customers

import (
	"context"

	"perennial/db"
	"perennial/service/usecase"
)

// EraseCustomer erases the customer's personal and payment data now, and refuses new subscriptions and charges. The
// workflow of the erasure, started after the commit, cancels the subscriptions and erases the rest. Records of money
// stay, under the id as a pseudonym. Fault: customer_not_found, also for an erased customer.
func (s *Service) EraseCustomer(
	ctx context.Context, by usecase.Caller, customerID string, around usecase.Around[string],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (string, error) {
		tx.AuditAlso(usecase.Deleted)
		return customerID, tx.Customers.Erase(ctx, by.EnvironmentID, customerID)
	})
}
