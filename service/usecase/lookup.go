package usecase

import (
	"context"
	"fmt"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/internal/id"
)

// CheckEachPlan refuses `planIds` that name a plan which does not exist, plan_not_found, or which check refuses.
func CheckEachPlan(
	ctx context.Context, b Base, by Caller, planIDs []string, check func(plan.Plan) error,
) error {
	for i, planID := range planIDs {
		p, err := Plan(ctx, b, by, planID)
		field := fmt.Sprintf("planIds[%d]", i)
		if err != nil {
			return InParam(err, field)
		}
		if err := check(p); err != nil {
			return fault.From(err).In(field)
		}
	}
	return nil
}

// UnlessAbsent returns err, but nil where something was not found.
func UnlessAbsent(err error) error {
	if Absent(err) {
		return nil
	}
	return err
}

// Payer returns the customer that a request names.
func Payer(ctx context.Context, b Base, by Caller, customerID string) (customer.Customer, error) {
	if !id.Is(id.Customer, customerID) {
		return customer.Customer{}, db.ErrCustomerNotFound.In("customerId")
	}
	c, err := b.Store.Customers.Get(ctx, by.EnvironmentID, customerID)
	return c, InParam(notErased(c, err), "customerId")
}

// LockCustomer locks one who is not erased. Fault: customer_not_found.
func LockCustomer(ctx context.Context, tx *db.Tx, environmentID, customerID string) (customer.Customer, error) {
	c, err := tx.Customers.Lock(ctx, environmentID, customerID)
	return c, notErased(c, err)
}

// notErased returns err, or that the customer found is gone: the row of an erased one stays.
func notErased(c customer.Customer, err error) error {
	if err == nil && !c.ErasedAt.IsZero() {
		return db.ErrCustomerNotFound
	}
	return err
}

// Plan returns the plan that a request names.
func Plan(ctx context.Context, b Base, by Caller, planID string) (plan.Plan, error) {
	if !id.Is(id.Plan, planID) {
		return plan.Plan{}, db.ErrPlanNotFound.In("planId")
	}
	p, err := b.Store.Catalog.Plan(ctx, by.EnvironmentID, planID)
	return p, InParam(err, "planId")
}

// InParam adds the name of the referring field to "not found".
func InParam(err error, param string) error {
	if f := fault.From(err); f != nil && f.Kind == fault.NotFound {
		return f.In(param)
	}
	return err
}

// Absent reports whether err says that something was not found.
func Absent(err error) bool { return err != nil && fault.From(err).Kind == fault.NotFound }
