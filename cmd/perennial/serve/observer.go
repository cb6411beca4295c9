package serve

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"perennial/activities/charging"
	"perennial/activities/execution"
	"perennial/activities/rating"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/contract"
	"perennial/internal/telemetry"
)

// observer turns what activities report into measurements, and faults into log lines that say whose they are and what
// to do next.
type observer struct {
	telemetry *telemetry.Telemetry
	now       func() time.Time
	said      *said
}

func newObserver(t *telemetry.Telemetry, now func() time.Time) observer {
	return observer{telemetry: t, now: now, said: &said{at: map[string]time.Time{}}}
}

// said keeps a fault that every payment meets from filling the log.
type said struct {
	mu sync.Mutex
	at map[string]time.Time
}

// sayEvery is the pause between two log lines about the same fault of the same account.
const sayEvery = time.Minute

// again reports whether it is time to log a fault, and notes that it was.
func (s *said) again(what string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, ok := s.at[what]; ok && now.Sub(last) < sayEvery {
		return false
	}
	s.at[what] = now
	return true
}

// ReviewNeeded implements charging.Observer.
func (o observer) ReviewNeeded(ctx context.Context, r charging.ReviewNeeded) {
	o.telemetry.Instruments.PaymentReview(ctx, r.Provider)
	find := "look it up at the provider by its reference"
	if r.ProviderRef == "" {
		find = "no reference is known, so search the provider for metadata['txn_id']:'" + r.TransactionID +
			"', and its log for the idempotency key"
	}
	o.telemetry.Logger.Error("a payment needs review: "+find+", then run `perennial payment resolve`; a callback about "+
		"it, sent again from there, makes Perennial poll it too",
		telemetry.Environment(r.EnvironmentID), zap.String("transactionId", r.TransactionID),
		zap.String("subscriptionId", r.SubscriptionID), zap.String("provider", r.Provider),
		zap.String("providerReference", r.ProviderRef), zap.String("idempotencyKey", r.Key), zap.String("reason", r.Reason),
		zap.String("amount", money.Format(r.Amount, r.Currency)))
}

// CredentialsRefused implements charging.Observer.
func (o observer) CredentialsRefused(ctx context.Context, r charging.CredentialsRefused) {
	o.telemetry.Instruments.ProviderRefusal(ctx, r.Provider)
	if !o.said.again(r.ProviderConfigID, o.now()) {
		return
	}
	o.telemetry.Logger.Error("the payment provider rejects the credentials, or they cannot be read: no payment "+
		"through this account succeeds; check the key at the provider and PERENNIAL_KEK, and store a valid one with `perennial provider update`",
		telemetry.Environment(r.EnvironmentID), zap.String("providerConfigId", r.ProviderConfigID),
		zap.String("provider", r.Provider), zap.String("transactionId", r.TransactionID),
		zap.Int("status", r.HTTPStatus), zap.String("reason", r.Reason))
}

// ProviderSilent implements charging.Observer. A single silence may have any cause and is repeated automatically; many
// show in the alarm about charges that are not taken.
func (o observer) ProviderSilent(ctx context.Context, r charging.ProviderSilent) {
	o.telemetry.Instruments.ProviderSilence(ctx, r.Provider)
	if !o.said.again("silent "+r.ProviderConfigID, o.now()) {
		return
	}
	o.telemetry.Logger.Warn("the payment provider gives no answer: what it was asked is tried again by itself; see "+
		"whether the provider is up, and that this machine reaches it",
		telemetry.Environment(r.EnvironmentID), zap.String("providerConfigId", r.ProviderConfigID),
		zap.String("provider", r.Provider), zap.String("operation", r.Operation),
		zap.String("transactionId", r.TransactionID), zap.Int("status", r.HTTPStatus), zap.String("reason", r.Reason))
}

// UsageUnrated implements rating.Observer.
func (o observer) UsageUnrated(ctx context.Context, u rating.Unrated) {
	code := fault.From(u.Cause).Code
	o.telemetry.Instruments.UsageUnrated(ctx, code)
	if !o.said.again("unrated "+u.InvoiceID, o.now()) {
		return
	}
	if u.RetryAt.IsZero() {
		o.telemetry.Logger.Error("the usage of a price cannot be counted, so that invoices are issued without it; each "+
			"later one of the next 90 days tries again; price it by fewer dimensions, or by the sum of its records, in a new "+
			"version of the plan, and bill what is left on a manual invoice",
			telemetry.Environment(u.EnvironmentID), zap.String("subscriptionId", u.ID), zap.String("invoiceId", u.InvoiceID),
			zap.String("code", code), zap.Error(u.Cause))
		return
	}
	o.telemetry.Logger.Error("the usage of a draft cannot be rated, so the invoice is not issued; it is tried again by "+
		"itself; correct the price, or issue it without its usage (POST /invoices/{id}/finalize with withoutUsage)",
		telemetry.Environment(u.EnvironmentID), zap.String("subscriptionId", u.ID), zap.String("invoiceId", u.InvoiceID),
		zap.String("code", code), zap.Int("times", u.Times), zap.Time("retryAt", u.RetryAt), zap.Error(u.Cause))
}

// RowAbsent implements charging.Observer.
func (o observer) RowAbsent(ctx context.Context, r execution.RowAbsent) {
	o.telemetry.Instruments.RowAbsent(ctx, r.Kind)
	o.telemetry.Logger.Error("the database does not have the row that a workflow serves, so the workflow ends: a "+
		"restore has lost it; see docs/operations.md for what to do after a restore of PostgreSQL",
		telemetry.Environment(r.EnvironmentID), zap.String("kind", r.Kind), zap.String("id", r.ID))
}

// ProviderCalled implements charging.Observer.
func (o observer) ProviderCalled(ctx context.Context, provider, operation, outcome string, took time.Duration) {
	o.telemetry.Instruments.ProviderCall(ctx, took, provider, operation, outcome)
}

// PaymentEnded implements charging.Observer.
func (o observer) PaymentEnded(ctx context.Context, p charging.Ended) {
	o.telemetry.Instruments.Payment(ctx, p.Provider, p.Type, p.Status)
	if p.Renewal {
		o.telemetry.Instruments.RenewalLateness(ctx, p.Lateness, p.Mode)
	}
}

// reconciled counts the repairs of a pass of the reconciler; a pass without findings logs nothing.
func (o observer) reconciled(found contract.ReconcileResult) {
	ctx := context.Background() // a measurement belongs to no request
	if found.Stuck > 0 {
		o.telemetry.Instruments.ReconcilerFindings(ctx, "stuck", found.Stuck)
		o.telemetry.Logger.Error("subscriptions stay overdue although the reconciler wakes them: open their workflows in "+
			"Temporal, and terminate one that refuses its messages: the reconciler starts it again",
			zap.Int("count", found.Stuck), zap.Strings("workflowIds", found.StuckIDs),
			zap.Strings("environmentIds", found.StuckIn))
	}
	if found.Overlooked > 0 {
		o.telemetry.Instruments.ReconcilerFindings(ctx, "overlooked", found.Overlooked)
		o.telemetry.Logger.Warn("subscriptions did not wait for dates that have passed, as an earlier build leaves them; their workflows were woken "+
			"(docs/operations.md, a step back)", zap.Int("count", found.Overlooked))
	}
	// A finding is repaired, so it is no alarm; a lasting rate of findings is, which the counter shows.
	for kind, n := range map[string]int{"started": found.Started, "signalled": found.Signalled, "late": found.Late} {
		if n > 0 {
			o.telemetry.Instruments.ReconcilerFindings(ctx, kind, n)
			o.telemetry.Logger.Info("reconciled", zap.String("finding", kind), zap.Int("count", n))
		}
	}
	for _, lost := range found.Lost {
		if !o.said.again(lost.ID, o.now()) {
			continue
		}
		o.telemetry.Logger.Error("a provider reports a payment with an id of ours that the database does not have: a "+
			"restore has lost it, or another installation shares the provider's account; look it up at the provider by its "+
			"reference, book or refund the money, then run `perennial callback close` (docs/operations.md)",
			telemetry.Environment(lost.EnvironmentID), zap.String("transactionId", lost.TransactionID),
			zap.String("providerReference", lost.ProviderRef), zap.String("providerConfigId", lost.ProviderConfigID),
			zap.String("callbackId", lost.ID))
	}
	if n := found.Unanswered; n > 0 {
		o.telemetry.Instruments.ReconcilerFindings(ctx, "unanswered", n)
		o.telemetry.Logger.Warn("callbacks about closed payments expired: their look-ups failed for a week; "+
			"check the payments at the provider", zap.Int("count", n))
	}
	// no finding: a provider's account that is shared with other systems sends them every day
	if n := found.Unclaimed; n > 0 {
		o.telemetry.Logger.Info("callbacks expired: no transaction had their reference for a day", zap.Int("count", n))
	}
}
