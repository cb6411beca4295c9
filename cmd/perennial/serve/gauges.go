package serve

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/zap"

	"perennial/cmd/perennial/backlog"
	"perennial/db"
	"perennial/internal/telemetry"
	"perennial/worker"
)

// backlogGauges are read from PostgreSQL at each scrape, by every process with an API. They need neither Temporal nor a
// worker, and show how late work is before it is done. There are counts and ages: a count shows how much, an age how
// bad. Counts stop at 10,000, so that a scrape during a disaster is no full scan.
var backlogGauges = []telemetry.Gauge{
	{Name: "perennial_database_reachable", Text: "1 while PostgreSQL answers; else 0, and the rest is absent."},
	{
		Name: "perennial_database_writable",
		Text: "1 while PostgreSQL takes writes; 0 on a standby, a read-only server or a full disk.",
	},
	{Name: "perennial_workers", Text: "Running worker processes of any build. Absent while PostgreSQL takes no writes."},
	{Name: "perennial_reconciler_age_seconds", Text: "Time since the reconciler finished a pass; -1: it never has."},
	{
		Name: "perennial_overdue_actions",
		Text: "Subscriptions whose next action is overdue by more than a minute, up to 10,000.",
	},
	{Name: "perennial_overdue_actions_age_seconds", Text: "How long the oldest due action of a subscription has waited."},
	{
		Name: "perennial_overlooked_dates",
		Text: "Dates of subscriptions and grants that have passed by more than a minute and that nothing waits for.",
	},
	{Name: "perennial_overlooked_dates_age_seconds", Text: "How long ago the oldest overlooked date passed."},
	{
		Name: "perennial_overdue_payments",
		Text: "Payments whose send or poll is overdue by more than a minute, up to 10,000.",
	},
	{
		Name: "perennial_overdue_payments_age_seconds", Text: "How long the oldest due send or poll of a payment has waited.",
	},
	{Name: "perennial_payments_in_review", Text: "Payments that need review now, up to 10,000."},
	{
		Name: "perennial_callbacks_lost",
		Text: "Callbacks about payments of ours that the database does not have, up to 10,000.",
	},
	{
		Name: "perennial_webhook_endpoints_late",
		Text: "Webhook endpoints with work overdue by more than a minute, up to 10,000.",
	},
	{
		Name: "perennial_webhook_endpoints_late_age_seconds",
		Text: "How long the oldest due work of a webhook endpoint has waited.",
	},
	{
		Name: "perennial_webhook_endpoints_failing",
		Text: "Enabled webhook endpoints that fail for more than an hour, up to 10,000.",
	},
	{
		Name: "perennial_emails_due_age_seconds",
		Text: "How long the oldest due work of a sender of mail has waited.",
	},
	{
		Name: "perennial_email_senders_failing",
		Text: "Environments whose mail server fails for more than an hour, up to 10,000.",
	},
	{
		Name: "perennial_emails_given_up",
		Text: "Mails of the last four days that were given up, up to 10,000.",
	},
	{
		Name: "perennial_overdue_erasures",
		Text: "Deletions of customers without progress for more than a minute, up to 10,000.",
	},
	{Name: "perennial_erasures_age_seconds", Text: "How long ago the oldest deletion that is not finished was requested."},
	{Name: "perennial_payments_disputed", Text: "Payments with an open dispute, up to 10,000."},
	{
		Name: "perennial_payments_disputed_age_seconds",
		Text: "How long the oldest payment with an open dispute has had one.",
	},
	{Name: "perennial_payments_in_review_age_seconds", Text: "How long the oldest payment in review has waited."},
}

// watchBacklog reads all gauges in a few queries for each scrape. A read that fails leaves the values out rather than
// at zero: an alert on zero would say that all is well while the database is away.
func (s *Server) watchBacklog(store *db.Store, now func() time.Time) error {
	return s.telemetry.Watch(backlogGauges, func(ctx context.Context) map[string]float64 {
		b, err := store.Reconcile.Backlog(ctx, now(), backlog.Late)
		if err != nil {
			s.telemetry.Logger.Warn("the backlog cannot be read", zap.Error(err))
			return map[string]float64{"perennial_database_reachable": 0}
		}
		hooks, err := store.Webhooks.Backlog(ctx, now(), backlog.Late, backlog.FailingFor)
		if err != nil {
			s.telemetry.Logger.Warn("the backlog of webhooks cannot be read", zap.Error(err))
			return map[string]float64{"perennial_database_reachable": 0}
		}
		mails, err := store.Emails.Backlog(ctx, now(), backlog.FailingFor, backlog.FailedWithin)
		if err != nil {
			s.telemetry.Logger.Warn("the backlog of mails cannot be read", zap.Error(err))
			return map[string]float64{"perennial_database_reachable": 0}
		}
		overlooked, unread := store.Reconcile.OverlookedDates(ctx, now().Add(-backlog.Late))
		tried, refused := s.refusesWrites(ctx, store, b)
		b.Writable = refused == nil
		values := map[string]float64{
			"perennial_webhook_endpoints_late":             float64(hooks.Late),
			"perennial_webhook_endpoints_late_age_seconds": hooks.DueAge.Seconds(),
			"perennial_webhook_endpoints_failing":          float64(hooks.Failing),
			"perennial_emails_due_age_seconds":             mails.DueAge.Seconds(),
			"perennial_email_senders_failing":              float64(mails.Failing),
			"perennial_emails_given_up":                    float64(mails.Failed),

			"perennial_database_reachable":             1,
			"perennial_database_writable":              flagged(b.Writable),
			"perennial_workers":                        float64(b.Workers),
			"perennial_reconciler_age_seconds":         b.ReconciledAge.Seconds(),
			"perennial_overdue_actions":                float64(b.Actions),
			"perennial_overdue_actions_age_seconds":    b.ActionAge.Seconds(),
			"perennial_overdue_payments":               float64(b.Payments),
			"perennial_overdue_payments_age_seconds":   b.PaymentAge.Seconds(),
			"perennial_payments_in_review":             float64(b.Reviews),
			"perennial_callbacks_lost":                 float64(b.Lost),
			"perennial_overdue_erasures":               float64(b.Erasures),
			"perennial_erasures_age_seconds":           b.ErasureAge.Seconds(),
			"perennial_payments_disputed":              float64(b.Disputed),
			"perennial_payments_disputed_age_seconds":  b.DisputeAge.Seconds(),
			"perennial_payments_in_review_age_seconds": b.ReviewAge.Seconds(),
		}
		if unread != nil { // as in a disaster, where there may be many to look through
			s.telemetry.Logger.Warn("dates that nothing waits for cannot be read", zap.Error(unread))
		} else {
			values["perennial_overlooked_dates"], values["perennial_overlooked_dates_age_seconds"] = 0, 0
		}
		for _, o := range overlooked {
			values["perennial_overlooked_dates"] += float64(o.Count)
			age := max(values["perennial_overlooked_dates_age_seconds"], now().Sub(o.Oldest).Seconds())
			values["perennial_overlooked_dates_age_seconds"] = age
		}
		if !tried {
			delete(values, "perennial_database_writable")
		}
		if !b.Writable { // no worker can write its beat: how many run is not known
			delete(values, "perennial_workers")
		}
		return values
	})
}

// probeTime bounds the write that checks whether the database takes writes, however much time the reads before it have
// left.
const probeTime = 5 * time.Second

// refusesWrites returns why the database takes no writes. Where its settings allow writes, only a write finds that out.
// Only an answer of the database is a refusal: an answer that does not come in time proves nothing, and tried is false.
func (s *Server) refusesWrites(ctx context.Context, store *db.Store, b db.Backlog) (tried bool, refused error) {
	if !b.Writable {
		return true, errReadOnly
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	err := store.ProbeWrite(within)
	var answer *pgconn.PgError
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &answer):
		return true, err
	}
	return false, nil
}

var errReadOnly = errors.New("it is a standby or read-only")

// watchDispatch serves whether new work reaches a worker.
func (s *Server) watchDispatch(w *worker.Worker) error {
	const name = "perennial_dispatch_stopped"
	return s.telemetry.Watch([]telemetry.Gauge{{
		Name: name, Text: "1 while Temporal sends all work to a build without workers, or to none: nothing is billed.",
	}}, func(context.Context) map[string]float64 { return map[string]float64{name: flagged(w.Ready() != nil)} })
}

// flagged is a boolean as Prometheus has them.
func flagged(so bool) float64 {
	if so {
		return 1
	}
	return 0
}
