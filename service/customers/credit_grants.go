package customers

import (
	"context"
	"slices"
	"time"

	"perennial/billing/balance"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// GrantCredit gives a customer g with a new id and date. The next invoices in its currency use it. Faults:
// customer_not_found, test_clock_advancing, plan_not_found, text_blank, text_invalid, card_number_refused, those of
// metadata, of checkGrantPlans and of lifecycle.GrantCredit.
func (s *Service) GrantCredit(
	ctx context.Context, by usecase.Caller, g balance.Grant, around usecase.Around[db.CreditGrant],
) error {
	if err := fault.Joined(text.Check("name", g.Name), g.Metadata.Check(),
		s.checkGrantPlans(ctx, by, g)); err != nil {
		return err
	}
	c, err := usecase.Payer(ctx, s.Base, by, g.CustomerID)
	if err != nil {
		return err
	}
	return onBalance(ctx, s, by, c, g.Currency, around, func(
		tx *db.Tx, state lifecycle.State, granted money.Minor, now time.Time,
	) (made db.CreditGrant, err error) {
		usable, err := tx.Customers.UsableCreditGrants(ctx, by.EnvironmentID, c.ID, g.Currency)
		if err != nil {
			return made, err
		}
		g.ID = id.New(id.CreditGrant, tx.Real)
		changes, err := lifecycle.GrantCredit(state, granted, usable, g, db.Moment(now, tx.Real))
		if err != nil {
			return made, err
		}
		made = db.CreditGrant{Grant: changes.NewGrants[0], ClockNow: now}
		return made, tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes)
	})
}

// checkGrantPlans refuses plans whose invoices could never use the grant. One version in the currency is enough, since
// a subscription may be on any version of its plan. Faults: plan_not_found, plan_is_add_on, currency_mismatch.
func (s *Service) checkGrantPlans(ctx context.Context, by usecase.Caller, g balance.Grant) error {
	return usecase.CheckEachPlan(ctx, s.Base, by, g.PlanIDs, func(p plan.Plan) error {
		if p.AddOn {
			return subscription.ErrPlanIsAddOn
		}
		if p.Offers(g.Currency) {
			return nil
		}
		versions, err := s.Store.Catalog.PlanVersions(ctx, by.EnvironmentID, p.ID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(versions, func(v plan.Plan) bool { return v.Offers(g.Currency) }) {
			return nil
		}
		return fault.InvalidParam("planIds", "currency_mismatch",
			"The plan is sold in %s, and not in %s, the currency of the grant. Choose a plan that is sold in %s.",
			plan.SoldIn(versions...), g.Currency, g.Currency)
	})
}

// VoidCreditGrant removes the rest of seen, which the caller read before. Payments of invoices with the grant stay.
// Faults: customer_not_found, test_clock_advancing, credit_grant_voided, credit_grant_expired.
func (s *Service) VoidCreditGrant(
	ctx context.Context, by usecase.Caller, seen balance.Grant, around usecase.Around[db.CreditGrant],
) error {
	c, err := usecase.Payer(ctx, s.Base, by, seen.CustomerID)
	if err != nil {
		return err
	}
	return onBalance(ctx, s, by, c, seen.Currency, around, func(
		tx *db.Tx, state lifecycle.State, _ money.Minor, now time.Time,
	) (made db.CreditGrant, err error) {
		was, err := tx.Customers.LockCreditGrant(ctx, by.EnvironmentID, seen.ID)
		if err != nil {
			return made, err
		}
		changes, err := lifecycle.VoidGrant(state, was, db.Moment(now, tx.Real))
		if err != nil {
			return made, err
		}
		g := changes.EndedGrants[0]
		if err := tx.Customers.EndCreditGrant(ctx, by.EnvironmentID, g.Grant, g.Taken, g.Reason, changes.At); err != nil {
			return made, err
		}
		type shown struct { // with the names of the API
			Remaining money.Minor
			VoidedAt  time.Time
		}
		usecase.AuditDiffering(tx, "credit_grant", shown{was.Left, was.VoidedAt}, shown{g.Left, g.VoidedAt})
		return db.CreditGrant{Grant: g.Grant, ClockNow: now}, tx.Emit(ctx, by.EnvironmentID, changes.Events[0])
	})
}
