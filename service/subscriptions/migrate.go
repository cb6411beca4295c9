package subscriptions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/foresight"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/usecase"
)

// MaxMigrated bounds the subscriptions of one request.
const MaxMigrated = 100

// PlanMigration moves subscriptions of a plan to one of its versions, a bounded number at a time.
type PlanMigration struct {
	From, To    int // versions; 0: any, and the newest
	AtPeriodEnd bool
	DryRun      bool   // moves none, and shows the effects
	Limit       int    // of examined subscriptions, at most MaxMigrated
	After       string // continues after this subscription
	// AsOf is the time from which a migration now is prorated, at most a day ago; zero: the time of each. With it, a
	// repetition after a restore of the database charges the same amounts under the same keys at providers.
	AsOf time.Time
	// NewestOnly moves none once To, which must be given, is not the newest version any more. Fault:
	// plan_version_superseded.
	NewestOnly bool
}

// PlanMigrated is the progress of a migration. If there is more, the next request continues after Last.
type PlanMigrated struct {
	To       plan.Plan
	Examined int // subscriptions on a version to migrate from, with canceled ones
	Migrated int
	Refused  []MigrationRefused
	// Sums are of a dry run, by currency, in the order of To.Currencies: one for each currency of a subscription that
	// moves.
	Sums    []MigrationSum
	HasMore bool
	Last    string // the last examined subscription; empty: none
}

// MigrationSum has the present cost of a migration in a currency: the amounts that would be invoiced, and credited.
type MigrationSum struct {
	Currency            money.Currency
	AmountDue, Credited money.Minor
}

// MigrationRefused is a subscription that keeps its version, with the reason.
type MigrationRefused struct {
	SubscriptionID string
	Reason         *fault.Error
}

// MigratePlan moves the next subscriptions of a plan to one of its versions. Each is moved in its own transaction, by
// the rules of a change of plan, so a request can be repeated after a crash: moved ones are on the version already. It
// skips subscriptions that are canceled, on the version, or changing to it. Faults: plan_not_found, cursor_unknown,
// as_of_out_of_range, fields_exclusive.
func (s *Service) MigratePlan(
	ctx context.Context, by usecase.Caller, planID string, m PlanMigration, around usecase.Around[PlanMigrated],
) error {
	if err := m.check(s.Now()); err != nil {
		return err
	}
	out, err := s.migratePlan(ctx, by, planID, m)
	if err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (PlanMigrated, error) {
		if m.DryRun {
			tx.AuditNothing(onlyShows)
		}
		return out, nil
	})
}

// maxAsOf is the age of the earliest time from which a migration is prorated.
const maxAsOf = 24 * time.Hour

// check refuses a time from which nothing can be prorated.
func (m PlanMigration) check(now time.Time) error {
	switch {
	case m.AsOf.IsZero():
		return nil
	case m.AtPeriodEnd:
		return fault.InvalidParam("asOf", "fields_exclusive",
			"A migration at the end of the period has no proration. Send `asOf` with `effective: \"now\"`.")
	case m.AsOf.After(now), m.AsOf.Before(now.Add(-maxAsOf)):
		return fault.InvalidParam("asOf", "as_of_out_of_range",
			"`asOf` must be in the last 24 hours. Send the time at which the migration began.")
	}
	return nil
}

// command moves a subscription to a version.
func (m PlanMigration) command(to plan.Ref) lifecycle.Migrate {
	cmd := lifecycle.Migrate{PlanID: to.ID, Version: to.Version, AtPeriodEnd: m.AtPeriodEnd, NeverBack: m.NewestOnly}
	if !m.AsOf.IsZero() {
		cmd.At, cmd.Key = m.AsOf, fmt.Sprintf("migration %s.%d", to.ID, to.Version)
	}
	return cmd
}

func (s *Service) migratePlan(
	ctx context.Context, by usecase.Caller, planID string, m PlanMigration,
) (out PlanMigrated, err error) {
	if out.To, err = s.Store.Catalog.Plan(ctx, by.EnvironmentID, planID); err != nil {
		return out, err
	}
	if m.NewestOnly {
		if err := newestIs(out.To, m.To); err != nil {
			return out, err
		}
	}
	if m.To != 0 {
		if out.To, err = s.Store.Catalog.PlanVersion(ctx, by.EnvironmentID, plan.Ref{ID: planID, Version: m.To}); err != nil {
			return out, usecase.InParam(err, "toVersion")
		}
	}
	of := db.SubscriptionFilter{PlanID: planID, PlanVersion: m.From}
	if out.To.AddOn {
		of = db.SubscriptionFilter{AddOnID: planID, AddOnVersion: m.From}
	}
	subs, more, err := s.Store.Subscriptions.List(ctx, by.EnvironmentID, of,
		db.Page{Limit: m.Limit, StartingAfter: m.After})
	if err != nil {
		return out, err
	}
	out.HasMore = more
	for _, sub := range subs {
		if s.late(ctx) {
			out.HasMore = true
			break
		}
		out.Last = sub.ID
		if sub.StaysOn(out.To.Ref()) || sub.Status == subscription.Canceled {
			continue
		}
		out.Examined++
		if err := s.migrateOne(ctx, by, sub, m, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Migrate moves one subscription to another version of its plan. Faults: those of the function Command and, from a free
// version to a paid one, those of customers.CheckRenewable.
func (s *Service) Migrate(
	ctx context.Context, by usecase.Caller, subscriptionID string, to lifecycle.Migrate,
	around usecase.Around[usecase.Performed],
) error {
	if err := s.checkVersion(ctx, by, subscriptionID, to.Version); err != nil {
		return err
	}
	return s.Command(ctx, by, subscriptionID, to, around)
}

// checkVersion refuses a version of the present plan for which the customer could not pay.
func (s *Service) checkVersion(ctx context.Context, by usecase.Caller, subscriptionID string, version int) error {
	sub, err := s.Store.Subscriptions.Get(ctx, by.EnvironmentID, subscriptionID)
	if err != nil {
		return err
	}
	to := func() (plan.Plan, error) {
		return s.Store.Catalog.PlanVersion(ctx, by.EnvironmentID, plan.Ref{ID: sub.PlanID, Version: version})
	}
	return s.checkWillPay(ctx, by, sub, to, "planVersion")
}

// late reports whether the time of a request is nearly over: it then responds with its progress, and the next one
// continues.
func (s *Service) late(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && deadline.Sub(s.Now()) < migrationReserve
}

// migrationReserve is the time that the response of a migration may take after its last subscription.
const migrationReserve = 2 * time.Second

// migrateOne moves one subscription. It records every refusal of the rules, also a temporary one: a repetition of the
// migration includes the subscription again.
func (s *Service) migrateOne(
	ctx context.Context, by usecase.Caller, sub subscription.Subscription, m PlanMigration, out *PlanMigrated,
) error {
	seen, balance, err := s.tryMigration(ctx, by, sub, m, out.To)
	switch f := fault.From(err); {
	case err == nil:
		out.Migrated++
		if m.DryRun {
			out.add(sub.Currency, seen, balance)
		}
	case errors.Is(err, subscribing.ErrVersionUnchanged): // it changes at the end of the period already
	case f != nil && f.Refusal():
		out.Refused = append(out.Refused, MigrationRefused{SubscriptionID: sub.ID, Reason: f})
	default:
		return err
	}
	return nil
}

// tryMigration moves a subscription, or in a dry run returns the effects and its customer's balance before them.
func (s *Service) tryMigration(
	ctx context.Context, by usecase.Caller, sub subscription.Subscription, m PlanMigration, to plan.Plan,
) (seen foresight.Previewed, balance money.Minor, err error) {
	known := func() (plan.Plan, error) { return to, nil }
	if err := s.checkWillPay(ctx, by, sub, known, "toVersion"); err != nil {
		return seen, 0, err
	}
	cmd := m.command(to.Ref())
	_, err = usecase.Transact(ctx, s.Base, by, nil, func(tx *db.Tx) (usecase.Performed, error) {
		if m.NewestOnly {
			newest, err := tx.Catalog.Plan(ctx, by.EnvironmentID, to.ID)
			if err == nil {
				err = newestIs(newest, to.Version)
			}
			if err != nil {
				return usecase.Performed{}, err
			}
		}
		if !m.DryRun {
			tx.AuditObject(sub.ID)
			return usecase.Command(ctx, tx, by.EnvironmentID, sub.ID, cmd)
		}
		tx.AuditNothing(onlyShows)
		found, asked, err := usecase.Lock(ctx, tx, by.EnvironmentID, sub.ID, cmd)
		if err != nil {
			return usecase.Performed{}, err
		}
		balance = found.Balance
		seen, err = foresight.Preview(found, asked, 0, nil, db.Moment(tx.Now, tx.Real))
		return usecase.Performed{}, err
	})
	return seen, balance, err
}

// newestIs refuses a version that is not the newest any more. Fault: plan_version_superseded.
func newestIs(newest plan.Plan, version int) error {
	if newest.Version != version {
		return subscription.ErrSuperseded
	}
	return nil
}

// add adds the cost of moving one subscription. balance is that of its customer before.
func (m *PlanMigrated) add(in money.Currency, seen foresight.Previewed, balance money.Minor) {
	sum := m.sum(in)
	for _, inv := range seen.Issued {
		sum.AmountDue += inv.AmountDue
	}
	sum.Credited += max(seen.Quote.Balance-balance, 0)
}

// sum returns the sum of a currency.
func (m *PlanMigrated) sum(in money.Currency) *MigrationSum {
	order := m.To.Currencies()
	i, known := slices.BinarySearchFunc(m.Sums, in, func(s MigrationSum, c money.Currency) int {
		return cmp.Compare(slices.Index(order, s.Currency), slices.Index(order, c))
	})
	if !known {
		m.Sums = slices.Insert(m.Sums, i, MigrationSum{Currency: in})
	}
	return &m.Sums[i]
}
