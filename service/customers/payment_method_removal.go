package customers

import (
	"context"
	"slices"
	"strings"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/service/usecase"
)

// RemovedMethod is a removed payment method, and the default of its customer from then on; empty: none.
type RemovedMethod struct {
	customer.Method
	DefaultID string
}

// Removal says what subscriptions that name a removed payment method name from then on: ReplacementID, or with Force
// the customer's default. Without either they are in the way.
type Removal struct {
	ReplacementID string
	Force         bool
}

// RemovePaymentMethod removes seen, which the caller read before. Where it was the default, the replacement or else the
// customer's oldest other one is from then on. Charges that have begun with it go on. Faults: payment_method_not_found,
// payment_method_in_use.
func (s *Service) RemovePaymentMethod(
	ctx context.Context, by usecase.Caller, seen customer.Method, in Removal, around usecase.Around[RemovedMethod],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (RemovedMethod, error) {
		c, all, i, err := lockMethod(ctx, tx, by, seen)
		if err != nil {
			return RemovedMethod{}, err
		}
		next := customer.Successor(all, seen.ID)
		if in.ReplacementID != "" {
			at := slices.IndexFunc(all, func(m customer.Method) bool { return m.ID == in.ReplacementID })
			if at < 0 || in.ReplacementID == seen.ID {
				return RemovedMethod{}, fault.From(db.ErrPaymentMethodNotFound).In("replacementId")
			}
			next = all[at]
		}
		if err := s.unname(ctx, tx, by, seen, in); err != nil {
			return RemovedMethod{}, err
		}
		tx.AuditAlso(usecase.Deleted)
		out := RemovedMethod{Method: all[i], DefaultID: c.PaymentMethodID}
		if err := tx.Customers.RemovePaymentMethod(ctx, by.EnvironmentID, seen.ID); err != nil {
			return out, err
		}
		if !out.Default {
			return out, s.announceMethods(ctx, tx, by, c)
		}
		out.DefaultID = next.ID
		return out, s.saveCustomer(ctx, tx, by, c.WithMethod(next), []string{"paymentMethod", "paymentMethods"}, true)
	})
}

// removeDefault removes the default payment method of a locked customer, and returns the one that is the default from
// then on; the zero Method: none is left. The caller saves the customer with it. Fault: payment_method_in_use.
func (s *Service) removeDefault(
	ctx context.Context, tx *db.Tx, by usecase.Caller, c customer.Customer,
) (next customer.Method, err error) {
	all, err := tx.Customers.AllPaymentMethods(ctx, by.EnvironmentID, c.ID)
	if err != nil {
		return next, err
	}
	removed := c.Method()
	if err := s.unname(ctx, tx, by, removed, Removal{}); err != nil {
		if f := fault.From(err); f != nil {
			return next, f.In("paymentMethod")
		}
		return next, err
	}
	return customer.Successor(all, removed.ID), tx.Customers.RemovePaymentMethod(ctx, by.EnvironmentID, removed.ID)
}

// inUseNamed is how many subscriptions a refusal names.
const inUseNamed = 3

// unname takes a payment method from the subscriptions that name it, if the caller says what they name then. Fault:
// payment_method_in_use.
func (s *Service) unname(
	ctx context.Context, tx *db.Tx, by usecase.Caller, m customer.Method, in Removal,
) error {
	if in.ReplacementID == "" && !in.Force {
		naming, err := tx.Subscriptions.NamingMethod(ctx, by.EnvironmentID, m.ID, inUseNamed)
		if err != nil || len(naming) == 0 {
			return err
		}
		return fault.New(fault.Conflict, "payment_method_in_use",
			"Subscriptions name the payment method, such as %s. Delete it by its id with `replacementId`, which they name "+
				"from then on, or with `force=true`, with which they are charged by the customer's default.",
			strings.Join(naming, ", "))
	}
	marked, err := tx.Subscriptions.ReplaceMethod(ctx, by.EnvironmentID, m.ID, in.ReplacementID)
	signal(tx, by, marked)
	return err
}
