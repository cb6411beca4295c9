package service

import (
	"context"

	"perennial/db"
)

// EraseCustomer deletes a customer: the personal and payment data of the customer are erased now, and nothing begins
// for the customer any more. The workflow of the erasure, started after the commit, cancels the subscriptions and
// erases the rest. What money moved stays, under the pseudonym of the id. Fault: customer_not_found, for one who is
// erased already.
func (s *Service) EraseCustomer(ctx context.Context, by Caller, customerID string, around Around[string]) error {
	return around.transact(ctx, s, by, func(tx *db.Tx) (string, error) {
		tx.AuditAlso(deleted)
		return customerID, tx.EraseCustomer(ctx, by.EnvironmentID, customerID)
	})
}
