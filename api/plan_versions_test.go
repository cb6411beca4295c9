package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/event"
	"perennial/db"
)

func TestPlanVersions_NewSubscribersGetTheNewestAndOthersKeepTheirs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.newSubscription(t, b.test)
	path := "/api/plans/" + first.PlanID
	was := as[Plan](t, 200, b.ask(t, b.test, "GET", path, nil))
	require.Equal(t, 1, was.Version)

	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", path+"/versions",
		`{"prices":[{"amount":2400},{"model":"per_unit","unitAmount":"350","name":"Seats"}],"trialDays":30}`))
	require.Equal(t, [3]any{first.PlanID, 2, int64(2750)}, [3]any{made.ID, made.Version, made.Amount})
	require.Equal(t, was.CreatedAt, made.CreatedAt)
	require.Equal(t, made, as[Plan](t, 200, b.ask(t, b.test, "GET", path, nil)))
	versions := as[httpkit.List[Plan]](t, 200, b.ask(t, b.test, "GET", path+"/versions", nil))
	require.Equal(t, httpkit.List[Plan]{Data: []Plan{made, was}}, versions)
	listed := as[httpkit.List[Plan]](t, 200, b.ask(t, b.test, "GET", "/v1/plans", nil)).Data
	require.Contains(t, listed, made)
	require.NotContains(t, listed, was, "a plan is listed once")
	require.Equal(t, event.PlanUpdated{ID: first.PlanID, Changed: []string{"version", "prices", "trialDays"}},
		dataOf[event.PlanUpdated](t, as[httpkit.List[Event]](t, 200,
			b.ask(t, b.test, "GET", "/api/events?type=plan.updated", nil)).Data[0]))

	second := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": first.CustomerID, "planId": first.PlanID}))
	require.Equal(t, [2]any{first.PlanID, 2}, [2]any{second.PlanID, second.PlanVersion})
	require.Len(t, second.Items, 2)
	require.Equal(t, made.Prices[1].ID, second.Items[1].PriceID)
	kept := as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+first.ID, nil))
	require.Equal(t, 1, kept.PlanVersion)
	require.Equal(t, was.Prices[0].ID, kept.Items[0].PriceID)
	problem(t, http.StatusConflict, "plan_unchanged", "planId", b.ask(t, b.test, "PATCH", "/api/subscriptions/"+first.ID,
		map[string]any{"planId": first.PlanID}))
	var both []string
	for _, s := range as[httpkit.List[Subscription]](t, 200,
		b.ask(t, b.test, "GET", "/api/subscriptions?planId="+first.PlanID, nil)).Data {
		both = append(both, s.ID)
	}
	require.Equal(t, []string{second.ID, first.ID}, both)

	change := "/api/subscriptions/" + first.ID
	problem(t, 422, "fields_exclusive", "planVersion", b.ask(t, b.test, "PATCH", change, `{"planVersion":2,"quantity":2}`))
	problem(t, 404, "plan_not_found", "planVersion", b.ask(t, b.test, "PATCH", change, `{"planVersion":3}`))
	problem(t, 409, "plan_version_unchanged", "", b.ask(t, b.test, "PATCH", change, `{"planVersion":1}`))
	waits := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", change, `{"planVersion":2,"effective":"period_end"}`))
	require.Equal(t, [3]any{1, first.PlanID, 2}, [3]any{waits.PlanVersion, waits.PendingPlanID, waits.PendingPlanVersion})
	moved := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", change, `{"planVersion":2}`))
	require.Equal(t, [3]any{2, "", 0}, [3]any{moved.PlanVersion, moved.PendingPlanID, moved.PendingPlanVersion})
	require.Equal(t, made.Prices[1].ID, moved.Items[1].PriceID)

	archived := as[Plan](t, 200, b.ask(t, b.test, "PATCH", path, `{"active":false,"name":"Old"}`))
	require.Equal(t, [3]any{2, false, "Old"}, [3]any{archived.Version, archived.Active, archived.Name})
	for _, version := range as[httpkit.List[Plan]](t, 200, b.ask(t, b.test, "GET", path+"/versions", nil)).Data {
		require.Equal(t, [2]any{false, "Old"}, [2]any{version.Active, version.Name}, "what is the plan's is every version's")
	}
}

func TestCreatePlanVersion_Refusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Pro","currency":"USD","interval":"month","amount":1900,"trialDays":7}`))
	path := "/api/plans/" + p.ID + "/versions"
	problem(t, 422, "field_missing", "prices", b.ask(t, b.test, "POST", path, `{}`))
	problem(t, 422, "fields_exclusive", "prices", b.ask(t, b.test, "POST", path, `{"amount":1,"prices":[{"amount":1}]}`))
	problem(t, 409, "plan_version_unchanged", "prices", b.ask(t, b.test, "POST", path, `{"amount":1900,"trialDays":7}`))
	problem(t, 422, "price_parameter_missing", "prices[0].unitAmount",
		b.ask(t, b.test, "POST", path, `{"prices":[{"model":"per_unit"}]}`))
	require.Len(t, as[httpkit.List[Plan]](t, 200, b.ask(t, b.test, "GET", path, nil)).Data, 1)
	only := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", path, `{"trialDays":0}`))
	require.Equal(t, [3]any{2, 0, int64(1900)}, [3]any{only.Version, only.TrialDays, only.Amount})
	require.NotEqual(t, p.Prices[0].ID, only.Prices[0].ID)
	absent := b.ask(t, b.test, "POST", "/api/plans/"+p.ID+".2/versions", `{"amount":1}`)
	problem(t, 404, db.ErrPlanNotFound.Code, "", absent)
}
