// Package scenario measures the paths of the product against the bare side, one path in a file.
package scenario

import (
	"context"

	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// Scenario measures one path.
type Scenario struct {
	Name    string
	Summary string
	Run     func(context.Context, *rig.Rig, Options) (result.Result, error)
}

// All has the scenarios in the order of their runs: memory first, on empty databases.
var All = []Scenario{
	{"memory", "a worker with 10,000 sleeping subscriptions, and what each costs in both databases", memory},
	{"get", "GET /api/subscriptions/{id}", get},
	{"access", "GET /api/customers/{id}/access, 1 / 32 clients", access},
	{"preview", "POST /api/subscriptions/{id}/preview of a change of plan, 1 / 32 clients", preview},
	{"create", "POST /api/subscriptions with a trial, 1 / 32 / 128 clients", create},
	{"commands", "cancel and patch", commands},
	{"usage", "POST /api/usage, 1 / 32 clients, and batches of 1,000 records beside COPY", recordUsage},
	{"usage-curve", "batches, single records and reads of usage while the records of a metric grow tenfold", usageCurve},
	{"rating", "a day's usage of a subscription by region, and amounts in tiers", rateUsage},
	{"metering", "the activity that rates what an invoice bills: by each record, behind aggregates, by many values", meter},
	{"import", "perennial import of customers and of subscriptions, beside COPY", importRecords},
	{"payments", "POST /api/payments to its final status, 1 / 32 clients", payments},
	{"testclock", "12 paid months on a test clock", testclock},
	{"renewals", "500 paid renewals", renewals},
	{"storm", "2,000 renewals due in the same second, and reads meanwhile", storm},
	{"deliveries", "webhook deliveries to 1 and to 100 endpoints", deliveries},
	{"receipt", "from the commit of an event to its receipt, at 100 events/s", receipt},
	{"mails", "10,000 mails into a mail server on this machine", mails},
	{"beside-mails", "500 paid renewals with mails and their PDFs, and without", besideMails},
	{"beside-webhooks", "500 paid renewals with a webhook endpoint and without", besideWebhooks},
	{"beside-hanging", "500 paid renewals while another provider hangs, and before", besideHanging},
}

// Names returns the names of all scenarios, in the order of their runs.
func Names() []string {
	var names []string
	for _, s := range All {
		names = append(names, s.Name)
	}
	return names
}

// Options are the settings of scenarios.
type Options struct {
	Scale  string
	Rounds int
	Seed   uint64
	Writes bool // renewals: a third wave, whose bare side has only its writes
	Hears  bool // renewals: the provider's callbacks reach the product
}

// size is a figure that Pick chooses.
type size interface{ ~int | ~int64 | ~float64 }

// Pick returns the figure of the scale.
func Pick[T size](o Options, small, full T) T {
	if o.Scale == "full" {
		return full
	}
	return small
}
