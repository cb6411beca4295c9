package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/subscription"
)

// A change with its own event type is announced by that first, and then by an update, so that an app can use either.
func TestCommand_AnnouncesWhatItChanged(t *testing.T) {
	t.Parallel()
	active, facts, now := inStatus(subscription.Active)
	facts.Open = nil
	ending := active
	ending.CancelAtPeriodEnd, ending.CancelReason = true, "moved"
	waiting := active
	waiting.PendingPlanID = pro.ID
	of := active.Announced()
	updated := func(planID string, fields ...string) event.Data {
		return event.SubscriptionUpdated{Subscription: of, Status: "active", PlanID: planID, Changed: fields}
	}
	for name, c := range map[string]struct {
		do   func() (Decision, error)
		want []event.Data
	}{
		"cancel at period end": {
			func() (Decision, error) { return With(active, facts).Cancel(Cancellation{Reason: "moved"}, now) },
			[]event.Data{event.SubscriptionCancelScheduled{
				Subscription: of, Status: "active", CancelAt: active.CurrentPeriod.End.Unix(), CancelReason: "moved",
			}, updated(team.ID, "cancelAtPeriodEnd")},
		},
		"another reason": {
			func() (Decision, error) { return With(ending, facts).Cancel(Cancellation{Reason: "too dear"}, now) },
			[]event.Data{updated(team.ID, "cancelReason")},
		},
		"the same again": {
			func() (Decision, error) { return With(ending, facts).Cancel(Cancellation{Reason: "moved"}, now) }, nil,
		},
		"reactivate": {
			func() (Decision, error) { return With(ending, costing.Facts{}).Reactivate(now) },
			[]event.Data{
				event.SubscriptionReactivated{Subscription: of, Status: "active"}, updated(team.ID, "cancelAtPeriodEnd"),
			},
		},
		"another plan now": {
			func() (Decision, error) { return With(active, facts).ChangePlan(Change{Plan: &pro}, now) },
			[]event.Data{event.SubscriptionPlanChanged{
				Subscription: of, Status: "active", PlanID: pro.ID, PreviousPlanID: team.ID,
			}, updated(pro.ID, "planId")},
		},
		"another plan later": {
			func() (Decision, error) {
				return With(active, facts).ChangePlan(Change{Plan: &pro, AtPeriodEnd: true}, now)
			},
			[]event.Data{updated(team.ID, "pendingPlanId")},
		},
		"staying after all": {
			func() (Decision, error) { return With(waiting, facts).ChangePlan(Change{Plan: &team}, now) },
			[]event.Data{updated(team.ID, "pendingPlanId")},
		},
	} {
		d, err := c.do()
		require.NoError(t, err, name)
		var got []event.Data
		for _, e := range d.Events {
			require.Equal(t, now, e.OccurredAt, name)
			got = append(got, e.Data)
		}
		require.Equal(t, c.want, got, name)
	}
}

func TestOpenPeriod_AnnouncesThePlanThatWaited(t *testing.T) {
	t.Parallel()
	s, facts, _ := inStatus(subscription.Active)
	s.PendingPlanID, facts.Pending = pro.ID, &pro
	d, err := With(s, facts).OpenPeriod(s.CurrentPeriod.End.Add(time.Second))
	require.NoError(t, err)
	require.Equal(t, []event.Type{event.TypeSubscriptionPlanChanged, event.TypeSubscriptionRenewed}, typesOf(d.Events))
	require.Equal(t, event.SubscriptionPlanChanged{
		Subscription: s.Announced(), Status: "active", PlanID: pro.ID, PreviousPlanID: team.ID,
	}, d.Events[0].Data)
}
