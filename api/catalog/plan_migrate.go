package catalog

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/subscriptions"
)

type migratePlanInput struct {
	httpkit.ByID
	Body PlanMigrationForm
}

// PlanMigrationForm moves subscriptions of a plan to one of its versions.
type PlanMigrationForm struct {
	FromVersion   int    `json:"fromVersion,omitempty" minimum:"1" maximum:"100" example:"1" doc:"Only subscriptions on this version. Default: on any other version."`
	ToVersion     int    `json:"toVersion,omitempty" minimum:"1" maximum:"100" example:"2" doc:"The version that they move to. Default: the newest."`
	Effective     string `json:"effective,omitempty" enum:"now,period_end" example:"period_end" doc:"period_end (the default): with their next period, nothing is charged before. now: with proration."`
	DryRun        bool   `json:"dryRun,omitempty" example:"true" doc:"true: shows what would happen, and changes nothing."`
	Limit         int    `json:"limit,omitempty" minimum:"1" maximum:"100" example:"100" doc:"How many subscriptions this request looks at. Default: 100."`
	StartingAfter string `json:"startingAfter,omitempty" maxLength:"64" doc:"Continues a migration: lastSubscriptionId of the previous response."`
	AsOf          int64  `json:"asOf,omitempty" example:"1763640000" doc:"With effective: now, the time from which all are prorated, in Unix seconds, in the last 24 hours. Send the time at which the migration began with each of its requests: repeated after a restore of the database, they charge the same amounts under the same keys at the provider. Default: the time of each move."`
}

// PlanMigration is the progress of a migration.
type PlanMigration struct {
	PlanID    string             `json:"planId" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	ToVersion int                `json:"toVersion" example:"2" doc:"The version that subscriptions move to."`
	DryRun    bool               `json:"dryRun" doc:"Nothing was changed: the figures are what would happen."`
	Examined  int                `json:"examined" example:"100" doc:"The subscriptions of this request that are on another version and not canceled."`
	Migrated  int                `json:"migrated" example:"99" doc:"Those that moved, or move at the end of their period. Of a dry run: 0."`
	Would     int                `json:"wouldMigrate,omitempty" example:"99" doc:"Of a dry run: those that would move."`
	Refused   []MigrationRefusal `json:"refused" doc:"Those that stay on their version."`
	Currency  string             `json:"currency" example:"USD" doc:"The plan's own, that of amountDue and credited."`
	AmountDue int64              `json:"amountDue" example:"1200" doc:"Of a dry run: the sum of the invoices that would be issued now, in minor units, to subscriptions in the plan's own currency."`
	Credited  int64              `json:"credited" doc:"Of a dry run: the sum of the credit that customers would get now, in minor units, for subscriptions in the plan's own currency."`
	Others    []MigrationSum     `json:"otherCurrencies,omitempty" doc:"Of a dry run: the same sums for subscriptions in other currencies."`
	Last      string             `json:"lastSubscriptionId,omitempty" doc:"The last subscription that was looked at: where hasMore is true, send it as startingAfter, with a new Idempotency-Key."`
	HasMore   bool               `json:"hasMore" doc:"Whether the plan has more subscriptions to look at."`
}

// MigrationSum is the result of a dry run in a currency.
type MigrationSum struct {
	Currency  string `json:"currency" example:"EUR"`
	AmountDue int64  `json:"amountDue" doc:"The sum of the invoices that would be issued now, in minor units."`
	Credited  int64  `json:"credited" doc:"The sum of the credit that customers would get now, in minor units."`
}

// MigrationRefusal is the reason why a subscription stays on its version.
type MigrationRefusal struct {
	SubscriptionID string `json:"subscriptionId" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Code           string `json:"code" example:"payment_in_progress" doc:"Why, as problems have it."`
	Detail         string `json:"detail" example:"A payment of the current period is in progress." doc:"Why, in a sentence."`
}

// migratePlan examines at most 100 subscriptions a request, each in a short transaction. Subscriptions that an
// interrupted request has moved stay moved: its repeat skips them.
func (h *Handler) migratePlan(
	ctx context.Context, c *httpkit.Call, in *migratePlanInput,
) (*httpkit.Reply[PlanMigration], error) {
	f := in.Body
	if f.StartingAfter != "" && !id.Is(id.Subscription, f.StartingAfter) {
		return nil, fault.InvalidParam("startingAfter", "cursor_malformed",
			"The cursor is malformed. Send `lastSubscriptionId` of the previous response.")
	}
	m := subscriptions.PlanMigration{
		From: f.FromVersion, To: f.ToVersion, AtPeriodEnd: f.Effective != "now", DryRun: f.DryRun,
		Limit: cmp.Or(f.Limit, subscriptions.MaxMigrated), After: f.StartingAfter,
	}
	if f.AsOf != 0 {
		m.AsOf = time.Unix(f.AsOf, 0).UTC()
	}
	made := func(done subscriptions.PlanMigrated) httpkit.Made[PlanMigration] {
		out := PlanMigration{
			PlanID: in.ID, ToVersion: done.To.Version, DryRun: f.DryRun, Examined: done.Examined, Migrated: done.Migrated,
			Refused: make([]MigrationRefusal, len(done.Refused)), Currency: string(done.To.Currency),
			Last: done.Last, HasMore: done.HasMore,
		}
		if f.DryRun {
			out.Migrated, out.Would = 0, done.Migrated
		}
		for _, sum := range done.Sums {
			if sum.Currency == done.To.Currency {
				out.AmountDue, out.Credited = int64(sum.AmountDue), int64(sum.Credited)
				continue
			}
			out.Others = append(out.Others, MigrationSum{string(sum.Currency), int64(sum.AmountDue), int64(sum.Credited)})
		}
		for i, r := range done.Refused {
			out.Refused[i] = MigrationRefusal{SubscriptionID: r.SubscriptionID, Code: r.Reason.Code, Detail: r.Reason.Detail}
		}
		return httpkit.Made[PlanMigration]{Resource: out}
	}
	// The key is looked up before anything moves: a repeat must not move subscriptions that were moved back meanwhile.
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, made,
		func(keep func(*db.Tx, subscriptions.PlanMigrated) error) error {
			return h.subscriptions.MigratePlan(ctx, usecase.Caller(c), in.ID, m,
				usecase.Around[subscriptions.PlanMigrated]{After: keep})
		})
}

// planMigrationOperation is POST /plans/{id}/migrate.
func (h *Handler) planMigrationOperation(load httpkit.Loader) {
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "migratePlan", Method: http.MethodPost, Path: "/plans/{id}/migrate", Tag: "Plans",
		Summary: "Move subscriptions to another version of their plan",
		Description: "Looks at up to 100 subscriptions of the plan, the newest first, and moves those that are on another " +
			"version, each in a transaction of its own. dryRun: true shows first what would happen, and what would be " +
			"charged and credited now. Repeat the request with startingAfter while hasMore is true. A request that " +
			"failed half-way can be repeated: what was moved is passed over. Scheduled changes to another plan and " +
			"scheduled cancellations stay; those subscriptions are refused with plan_change_scheduled at period_end.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load,
		Request: PlanMigrationForm{FromVersion: 1, Effective: "now", DryRun: true},
		Response: PlanMigration{
			PlanID: "plan_01jcz6dyqx4w9s1c2k7v5h8m3n", ToVersion: 2, DryRun: true, Examined: 2, Would: 1,
			Refused: []MigrationRefusal{{
				SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", Code: "payment_in_progress",
				Detail: "A payment of the current period is in progress.",
			}},
			Currency: "USD", AmountDue: 1200, Last: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n",
		},
	}, h.migratePlan)
}
