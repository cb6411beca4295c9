package emits

import (
	"errors"
	"time"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/scene"
)

// grace makes the invoices of renewals drafts for an hour, until the returned function is called: other operations
// share the stage.
func (s *stage) grace() (end func()) {
	s.t.Helper()
	choose := func(minutes int) {
		_, err := s.Pool.Exec(s.ctx, "update environments set invoice_grace_minutes = $2 where id = $1", s.Env, minutes)
		s.must(err)
	}
	choose(60)
	return func() { choose(0) }
}

// drawn is a subscription whose renewal's invoice is a draft.
func (s *stage) drawn() *life {
	s.t.Helper()
	l := s.active(1000)
	defer s.grace()()
	s.must(l.at(subscription.ActionRenewal)())
	return l
}

// metered is a subscription whose renewal's invoice waits for the rating of a call.
func (s *stage) metered() *life {
	s.t.Helper()
	l := s.calling("calls")
	s.must(l.at(subscription.ActionRenewal)())
	return l
}

// calling is a subscription with a call of 2.00, counted by a metric of its own.
func (s *stage) calling(metric string, thresholds ...metered.Threshold) *life {
	s.t.Helper()
	at := s.Clock.Now()
	m := usage.Metric{
		ID: id.New(id.Metric, at), Version: 1, Name: metric, DisplayName: "Calls", Active: true, CreatedAt: at, VersionAt: at,
		Definition: usage.Definition{Aggregation: usage.Sum},
	}
	s.InTx(s.t, func(tx *db.Tx) error { return tx.Usage.InsertMetric(s.ctx, s.Env, m) })
	p := scene.Monthly(1000)
	p.Metered = &metered.Prices{Thresholds: thresholds, Components: []metered.Component{{
		ID: id.New(id.Price, at), MetricName: m.Name, MetricVersionID: m.VersionID(),
		Rates: []metered.Rate{{Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(2)}}},
	}}}
	l := s.subscribeTo(s.Plan(s.t, p).ID, 0, true)
	s.must(l.due())
	s.must(l.answer(answer.Succeeded))
	r := usage.Record{
		ID: id.New(id.UsageRecord, at), SubscriptionID: l.ref.ID, Metric: m.Name, Quantity: money.Whole(1),
		At: s.Clock.Now(), Key: l.ref.ID,
	}
	_, err := s.Store.UsageLog().RecordUsage(s.ctx, db.BySystem("test"), s.Env, s.Clock.Now(),
		[]db.NewUsage{{Record: r, Fingerprint: r.Fingerprint()}})
	s.must(err)
	return l
}

// merges set the scene for the results of the merge of usage records.
var merges = map[string]func(*stage) func() error{
	"limit_reached": func(s *stage) func() error {
		l := s.calling("limited")
		_, err := s.Pool.Exec(s.ctx, "update plans set features = $3 where environment_id = $1 and id = $2", s.Env,
			l.sub().PlanID, `[{"key":"calls","limit":1,"metricName":"limited"}]`)
		s.must(err)
		return s.merge
	},
	"threshold_reached": func(s *stage) func() error {
		s.calling("noted", metered.Threshold{Amount: 200})
		return s.merge
	},
	"threshold_reached that bills at once": func(s *stage) func() error {
		s.calling("billed", metered.Threshold{Amount: 200, Invoice: true})
		return s.merge
	},
}

func (s *stage) merge() error {
	s.Clock.Add(time.Second) // within the second in which a period begins nothing is billed
	_, merged := s.service.Usage.RollUpUsage(s.ctx)
	_, asked := s.service.Usage.AskReached(s.ctx)
	return errors.Join(merged, asked)
}

// draftTimers set the scene for the consequences of a grace.
var draftTimers = map[string]func(*stage) func() error{
	"renewal the environment has a grace for invoices": func(s *stage) func() error {
		renew := s.active(1000).at(subscription.ActionRenewal)
		return func() error {
			defer s.grace()()
			return renew()
		}
	},
	"bill_usage":       func(s *stage) func() error { return s.metered().at(subscription.ActionBillUsage) },
	"finalize_invoice": func(s *stage) func() error { return s.drawn().at(subscription.ActionFinalize) },
	"finalize_invoice without a payment method": func(s *stage) func() error {
		l := s.drawn()
		s.SetMethod(s.t, l.sub().CustomerID, nil)
		return l.at(subscription.ActionFinalize)
	},
}

// finalizeOfSubscription issues a draft before its grace is over.
func finalizeOfSubscription(s *stage) func() error {
	l := s.drawn()
	found, _, err := s.Store.Invoices.List(s.ctx, s.by.EnvironmentID,
		db.InvoiceFilter{SubscriptionID: l.sub().ID, Status: invoice.InDraft}, db.Page{Limit: 1})
	s.must(err)
	return s.finalize(found[0])
}
