package customers

import (
	"context"

	"perennial/db"
	"perennial/service/usecase"
)

// EraseCustomer deletes a customer: the personal and payment data of the customer are erased now, and nothing begins
// for the customer any more. The workflow of the erasure, started after the commit, cancels the subscriptions and
// erases the rest. What money moved stays, under the pseudonym of the id. Fault: customer_not_found, for one who is
// erased already.
func (s *Service) EraseCustomer(
	ctx context.Context, by usecase.Caller, customerID string, around usecase.Around[string],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (string, error) {
		tx.AuditAlso(usecase.Deleted)
		return customerID, tx.Customers.Erase(ctx, by.EnvironmentID, customerID)
	})
}
