package workflows

import (
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"perennial/billing/subscription"
	"perennial/contract"
)

// shown has the attributes that operators can search the run by. An upsert costs an event, an action and, in the
// server, as much as the whole rest of a command. So only changes are sent, and those of a command that leaves the
// status as it was wait for the next wake-up for another reason (ADR 11). A new run begins with the attributes of the
// old one.
type shown struct{ customer, status, plan, action string }

// show makes the run searchable and shows in the Temporal UI what it waits for and why. Ids and times only.
func (s *subscriptionRun) show(ctx workflow.Context, waitsFor string) {
	if s.shown == (shown{}) {
		s.shown = shownBefore(ctx)
	}
	is := shown{s.snap.CustomerID, string(s.snap.Status), s.snap.PlanID, string(s.snap.NextAction)}
	workflow.SetCurrentDetails(ctx, s.details(waitsFor))
	if s.byWake && is.status == s.shown.status {
		return
	}
	var changes []temporal.SearchAttributeUpdate
	if is.customer != s.shown.customer {
		changes = append(changes, contract.SearchCustomer.ValueSet(is.customer))
	}
	if is.status != s.shown.status {
		changes = append(changes, contract.SearchStatus.ValueSet(is.status))
	}
	if is.plan != s.shown.plan {
		changes = append(changes, contract.SearchPlan.ValueSet(is.plan))
	}
	if is.action != s.shown.action {
		changes = append(changes, contract.SearchNextAction.ValueSet(is.action))
	}
	if len(changes) > 0 {
		s.failed = workflow.UpsertTypedSearchAttributes(ctx, changes...)
		s.shown = is
	}
}

// waitsFor names the next automatic action or, for a pause without an end, the command that ends it.
func (s *subscriptionRun) waitsFor() string {
	if s.snap.Status == subscription.Paused && s.snap.NextAction == subscription.ActionNone {
		return "resume, by a command; also by a payment method that is added, where the trial ended without one"
	}
	return string(s.snap.NextAction)
}

// statusAbsent is the search attribute of a run whose row was absent: operators list by it what a restore has lost.
const statusAbsent = "absent"

func (s *subscriptionRun) showAbsent(ctx workflow.Context) error {
	workflow.SetCurrentDetails(ctx, absentDetails)
	return workflow.UpsertTypedSearchAttributes(ctx, contract.SearchStatus.ValueSet(statusAbsent))
}

const absentDetails = "The database does not have this row: a restore has lost it.\n"

// shownBefore reads the attributes that the run was started with, or those that the run before it showed.
func shownBefore(ctx workflow.Context) shown {
	attributes := workflow.GetTypedSearchAttributes(ctx)
	var is shown
	is.customer, _ = attributes.GetKeyword(contract.SearchCustomer)
	is.status, _ = attributes.GetKeyword(contract.SearchStatus)
	is.plan, _ = attributes.GetKeyword(contract.SearchPlan)
	is.action, _ = attributes.GetKeyword(contract.SearchNextAction)
	return is
}

// details is Markdown for the Temporal UI.
func (s *subscriptionRun) details(waitsFor string) string {
	var b strings.Builder
	line := func(label, value string) {
		if value != "" {
			b.WriteString("- **" + label + "**: " + value + "\n")
		}
	}
	line("Status", string(s.snap.Status))
	line("Customer", s.snap.CustomerID)
	line("Plan", s.snap.PlanID)
	line("Waits for", waitsFor)
	if s.usage.failed > 0 {
		line("Rating of usage ended without a result", strconv.Itoa(s.usage.failed)+" times; it is tried again at "+
			stamp(s.usage.rests)+". The log of the worker says why")
	}
	line("Usage cannot be rated", s.snap.Unrated)
	line("Until", stamp(s.snap.NextAt))
	if s.ratesUsage() && !s.snap.BesideAt.IsZero() {
		line("Beside it", string(s.snap.BesideAction)+" at "+stamp(s.snap.BesideAt))
	}
	line("Current period ends", stamp(s.snap.PeriodEnd))
	if s.snap.Live != nil {
		line("Payment under way", s.snap.Live.TransactionID)
		if held := s.snap.Live.Held; held.Why != "" {
			line("It waits for an account that can take it", held.Why)
			line("It waits since", stamp(held.Since))
			line("Tries again at", stamp(s.snap.Live.CheckAt))
		} else {
			line("Asks the provider at", stamp(s.snap.Live.CheckAt))
		}
		line("Payer must confirm by", stamp(s.snap.Live.ConfirmBy))
	}
	if s.snap.InReview != "" {
		line("Needs review", inReview(s.snap.InReview))
	}
	if s.onClock() {
		line("Test clock stands at", stamp(s.snap.ClockNow))
	}
	return b.String()
}

// inReview says what an operator does about a payment that needs review.
func inReview(transactionID string) string {
	return "payment " + transactionID + " waits for a person; `perennial payment list` tells why, " +
		"`perennial payment resolve` ends it"
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
