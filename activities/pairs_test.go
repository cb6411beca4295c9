package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/dunning"
	"perennial/billing/retry"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// pair is one situation of a subscription and its collection, and the refusal of each command in it; empty: performed.
type pair struct {
	trial  int                // days
	pauses bool               // the plan's dunning policy pauses in the end
	answer scene.Answer       // to the renewal
	reach  func(l *life.Life) // from a paid first period; nil: lets the renewal happen
	status subscription.Status

	cancelAtEnd, cancelNow, refund, reactivate, changeNow, changeAtEnd, pay, markPaid, skip, resume, pause, unpause string
}

const (
	notScheduled = "cancellation_not_scheduled"
	inProgress   = "payment_in_progress"
	needsReview  = "payment_needs_review"
	ended        = "subscription_canceled"
	notOpen      = "invoice_not_open"
	noRetry      = "retry_not_scheduled"
	notPaused    = "collection_not_paused"
	invoiceOpen  = "subscription_invoice_open"
	notHalted    = "subscription_not_paused"
)

var pairs = map[string]pair{
	"trial": {
		trial: 60, reach: func(*life.Life) {}, status: subscription.Trialing, reactivate: notScheduled,
		pay: "subscription_in_trial", markPaid: "invoice_not_found", skip: notOpen, resume: notPaused,
		pause: "subscription_in_trial", unpause: notHalted,
	},
	"paid": {
		reach: func(*life.Life) {}, status: subscription.Active, reactivate: notScheduled, pay: "nothing_to_pay",
		markPaid: notOpen, skip: notOpen, resume: notPaused,
		unpause: notHalted,
	},
	"paid, cancels at period end": {
		reach:  func(l *life.Life) { l.Perform(life.Command{Name: contract.CommandCancel}) },
		status: subscription.Active, pay: "nothing_to_pay", markPaid: notOpen, skip: notOpen, resume: notPaused,
		pause: "cancellation_scheduled", unpause: notHalted,
	},
	"attempt not sent": {
		reach:  func(l *life.Life) { l.Clock.Set(l.Snap.NextAt); l.Due() },
		status: subscription.Active, reactivate: notScheduled, changeNow: inProgress, pay: inProgress,
		skip: inProgress, resume: notPaused,
		pause: invoiceOpen, unpause: notHalted,
	},
	"attempt pending": {
		answer: scene.Pend, status: subscription.Active, reactivate: notScheduled, changeNow: inProgress, pay: inProgress,
		markPaid: inProgress, skip: inProgress, resume: notPaused,
		pause: invoiceOpen, unpause: notHalted,
	},
	"attempt needs review": {
		answer: scene.Mischarge, status: subscription.Active, reactivate: notScheduled, changeNow: needsReview,
		pay: needsReview, markPaid: needsReview, skip: needsReview, resume: notPaused,
		pause: invoiceOpen, unpause: notHalted,
	},
	"retry scheduled": {
		answer: scene.Decline, status: subscription.Active, reactivate: notScheduled, resume: notPaused,
		pause: invoiceOpen, unpause: notHalted,
	},
	"past due": {
		answer: scene.Decline, reach: func(l *life.Life) { l.Until(l.Snap.NextAt.Add(8 * life.Day)) },
		status: subscription.PastDue, reactivate: notScheduled, skip: noRetry, resume: notPaused,
		pause: invoiceOpen, unpause: notHalted,
	},
	"collection paused": {
		answer: scene.Decline, pauses: true, reach: func(l *life.Life) { l.Until(l.Snap.NextAt.Add(8 * life.Day)) },
		status: subscription.PastDue, reactivate: notScheduled, skip: noRetry,
		pause: invoiceOpen, unpause: notHalted,
	},
	"paused": {
		reach: func(l *life.Life) {
			l.Until(l.Clock.Now().Add(life.Day))
			l.Perform(life.Command{Name: contract.CommandPause})
		},
		status: subscription.Paused, reactivate: notScheduled, changeNow: "subscription_paused",
		changeAtEnd: "subscription_paused", pay: "nothing_to_pay", markPaid: notOpen, skip: notOpen, resume: notPaused,
	},
	"canceled, invoice open": {
		answer: scene.Decline, reach: func(l *life.Life) { l.Until(l.Snap.NextAt); l.Perform(life.CancelNow("")) },
		status: subscription.Canceled, cancelAtEnd: ended, cancelNow: ended, refund: ended, reactivate: ended,
		changeNow: ended, changeAtEnd: ended, skip: noRetry, resume: ended,
		pause: ended, unpause: ended,
	},
	"canceled, paid": {
		reach: func(l *life.Life) { l.Perform(life.CancelNow("")) }, status: subscription.Canceled, cancelAtEnd: ended,
		cancelNow: ended, refund: ended, reactivate: ended, changeNow: ended, changeAtEnd: ended, pay: "nothing_to_pay",
		markPaid: notOpen, skip: notOpen, resume: ended,
		pause: ended, unpause: ended,
	},
}

// Every command meets every state of subscription and collection: it is performed, or refused with its code and changes
// nothing; and the books stay sound in every case.
func TestCommand_InEveryCollectionState(t *testing.T) {
	t.Parallel()
	for name, p := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scene.New(t)
			for which, want := range map[string]string{
				"cancel at period end": p.cancelAtEnd, "cancel": p.cancelNow, "cancel with refund": p.refund,
				"reactivate":  p.reactivate,
				"change plan": p.changeNow, "change plan at period end": p.changeAtEnd, "pay": p.pay, "mark paid": p.markPaid,
				"skip retry": p.skip, "resume": p.resume, "pause": p.pause, "unpause": p.unpause,
			} {
				l := p.begin(t, s)
				commands := commandsOf(t, s)
				before := l.Rows(t)
				refusal := l.Command(commands[which]).Refusal
				if want == "" {
					require.Nil(t, refusal, which)
				} else {
					require.NotNil(t, refusal, which)
					require.Equal(t, want, refusal.Code, which)
					require.Equal(t, before, l.Rows(t), which)
				}
				l.Until(l.Clock.Now().Add(time.Minute))
				l.Sound()
			}
		})
	}
}

// commandsOf returns the commands whose outcome is stated for each situation.
func commandsOf(t *testing.T, s *scene.Scene) map[string]life.Command {
	t.Helper()
	return map[string]life.Command{
		"cancel at period end": {Name: contract.CommandCancel, Reason: "too dear"},
		"cancel":               life.CancelNow(""),
		"cancel with refund":   life.CancelNow("prorated"),
		"reactivate":           {Name: contract.CommandReactivate},
		"change plan":          {Name: contract.CommandChangePlan, PlanID: s.Plan(t, scene.Monthly(2000)).ID},
		"change plan at period end": {
			Name: contract.CommandChangePlan, PlanID: s.Plan(t, scene.Monthly(2000)).ID, AtPeriodEnd: true,
		},
		"pay":        {Name: contract.CommandPay},
		"mark paid":  {Name: contract.CommandMarkPaid},
		"skip retry": {Name: contract.CommandSkipRetry},
		"resume":     {Name: contract.CommandResumeCollection},
		"pause":      {Name: contract.CommandPause},
		"unpause":    {Name: contract.CommandResume},
	}
}

// begin brings a new subscription into the situation.
func (p pair) begin(t *testing.T, s *scene.Scene) *life.Life {
	t.Helper()
	s.Provider.Script = nil
	offer := scene.Monthly(1000)
	offer.TrialDays = p.trial
	if p.pauses {
		offer.Dunning = &dunning.Policy{Retry: retry.List(life.Day, 2*life.Day, 4*life.Day), Final: dunning.Pause}
		offer.Dunning.Retry.MaxJitter = 0
	}
	l := life.Begin(t, s, offer)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return p.answer }
	if p.reach == nil {
		l.Until(l.Snap.NextAt)
	} else {
		p.reach(l)
	}
	require.Equal(t, p.status, l.Snap.Status)
	return l
}
