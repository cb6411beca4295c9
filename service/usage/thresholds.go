package usage

import (
	"context"
	"slices"

	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/usecase"
)

// askThresholds checks which thresholds the usage of a subscription has reached. outdated: the counted period or
// segment had ended meanwhile, so nothing was written.
func (s *Service) askThresholds(
	ctx context.Context, environmentID string, sub subscription.Subscription,
) (outdated bool, err error) {
	if sub.Status == subscription.Incomplete {
		return true, nil // it is checked after its first payment
	}
	counted, err := s.standing(ctx, environmentID, sub)
	if err != nil || counted == nil {
		return false, err
	}
	err = s.Store.InTx(ctx, asUsage, s.Now(), func(tx *db.Tx) error {
		found, err := tx.Lifecycle.LockSubscription(ctx, environmentID, sub.ID)
		if err != nil {
			return err
		}
		asked := lifecycle.ThresholdsAsked{
			PeriodIndex: sub.PeriodIndex, MeteredSince: sub.MeteredSince, Standing: counted.standing,
		}
		asked.Reached, err = tx.Subscriptions.UsageReached(ctx, environmentID, sub.ID, sub.PeriodIndex)
		if err != nil {
			return err
		}
		if asked.Segments, err = counted.unbilled(ctx, tx, environmentID, sub); err != nil {
			return err
		}
		state, changes, err := lifecycle.CrossThresholds(found, asked, db.Moment(tx.Now, tx.Real))
		if err != nil {
			return err
		}
		thresholds := found.Subscription.Thresholds(found.Plan.Metered)
		outdated = len(changes.Crossings) != len(metered.Crossed(thresholds, asked.Reached, asked.Standing))
		if err := tx.Wake(ctx, environmentID, state, ""); err != nil {
			return err
		}
		return tx.Lifecycle.Write(ctx, environmentID, state, changes)
	})
	return outdated, err
}

// periodUsage is the usage of a subscription's current period.
type periodUsage struct {
	standing metered.Standing
	segments []metering.Priced
	counted  []metered.Segment // without minimums and commitments
}

// standing counts the usage of a subscription's current period; nil: it reaches no new threshold.
func (s *Service) standing(
	ctx context.Context, environmentID string, sub subscription.Subscription,
) (*periodUsage, error) {
	if sub.MeteredSince.IsZero() {
		return nil, nil
	}
	all, from, err := s.periodSegments(ctx, environmentID, sub)
	if err != nil || from == len(all) {
		return nil, err
	}
	accruing, err := usecase.CountSegments(ctx, s.Store, environmentID, sub, all, from)
	if err != nil {
		return nil, err
	}
	var p periodUsage
	var counted []metered.Segment
	for _, of := range accruing {
		p.segments, counted = append(p.segments, of.Priced), append(counted, of.Counted)
		p.counted = append(p.counted, of.Counted.Unbounded())
	}
	if p.standing, err = metered.Stand(counted, sub.Currency); err != nil {
		return nil, err
	}
	reached, err := s.Store.Subscriptions.UsageReached(ctx, environmentID, sub.ID, sub.PeriodIndex)
	thresholds := sub.Thresholds(p.segments[len(p.segments)-1].On.Metered)
	if err != nil || len(metered.Crossed(thresholds, reached, p.standing)) == 0 {
		return nil, err
	}
	return &p, nil
}

// unbilled returns the usage that no invoice bills yet. Negative charges wait for the end of the period.
func (p *periodUsage) unbilled(
	ctx context.Context, tx *db.Tx, environmentID string, sub subscription.Subscription,
) ([]lifecycle.RatedSegment, error) {
	billed, kept, err := tx.Lifecycle.UsageBilled(ctx, environmentID, sub.ID, p.segments[0].Start)
	if err != nil {
		return nil, err
	}
	rated, err := lifecycle.RateUsage(p.segments, p.counted, billed, kept, sub.Currency)
	for i := range rated {
		rated[i].Charges = slices.DeleteFunc(rated[i].Charges, func(c metered.Charge) bool { return c.Amount <= 0 })
	}
	return rated, err
}

// periodSegments returns the segments of a subscription, with the open one, and the index of the first one in the
// current period.
func (s *Service) periodSegments(
	ctx context.Context, environmentID string, sub subscription.Subscription,
) (all []metering.Segment, from int, err error) {
	if all, err = s.Store.Subscriptions.AllSegments(ctx, environmentID, sub.ID); err != nil {
		return nil, 0, err
	}
	from = slices.IndexFunc(all, func(of metering.Segment) bool { return of.PeriodIndex == sub.PeriodIndex })
	if from < 0 {
		from = len(all)
	}
	current, goesOn, err := metering.Current(sub)
	if goesOn {
		all = append(all, current)
	}
	return all, from, err
}
