package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/apikey"
)

func TestUpdatePlan_ArchiveAndPublish(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	on := b.newSubscription(t, b.test)
	another := b.newPlan(t, b.test)
	change := func(body string) Plan {
		return as[Plan](t, http.StatusOK, b.ask(t, b.test, "PATCH", "/api/plans/"+on.PlanID, body))
	}
	listed := func(query string) []string {
		var ids []string
		for _, p := range as[httpkit.List[Plan]](t, http.StatusOK, b.ask(t, b.test, "GET", "/v1/plans"+query, nil)).Data {
			ids = append(ids, p.ID)
		}
		return ids
	}

	got := change(`{"active":false}`)
	require.False(t, got.Active)
	require.Equal(t, "Pro", got.Name)
	require.Len(t, got.Prices, 1)
	require.Equal(t, got, as[Plan](t, http.StatusOK, b.ask(t, b.test, "GET", "/v1/plans/"+on.PlanID, nil)))
	require.Equal(t, []string{on.PlanID}, listed("?active=false"))
	require.Equal(t, []string{another.ID}, listed("?active=true"))
	require.Equal(t, []string{another.ID, on.PlanID}, listed(""))
	subscribe := map[string]any{"customerId": on.CustomerID, "planId": on.PlanID}
	problem(t, http.StatusConflict, "plan_inactive", "planId", b.ask(t, b.test, "POST", "/api/subscriptions", subscribe))

	require.True(t, change(`{"active":true,"name":"Pro, again","metadata":{"shelf":2}}`).Active)
	as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions", subscribe))

	before := b.effects(t)
	require.Equal(t, "Pro, again", change(`{}`).Name)
	require.Equal(t, Metadata{"shelf": json.Number("2")}, change(`{"active":true,"metadata":{"shelf":2}}`).Metadata)
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")

	events := as[httpkit.List[Event]](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/events?type=plan.updated", nil)).Data
	require.Len(t, events, 2)
	require.Equal(t, event.PlanUpdated{ID: on.PlanID, Changed: []string{"active", "name", "metadata"}},
		dataOf[event.PlanUpdated](t, events[0]))
	require.Equal(t, event.PlanUpdated{ID: on.PlanID, Changed: []string{"active"}},
		dataOf[event.PlanUpdated](t, events[1]))
}

func TestUpdatePlan_PerformedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := "/api/plans/" + b.newPlan(t, b.test).ID
	first := b.ask(t, b.test, "PATCH", path, `{"name":"A"}`, "Idempotency-Key", "k")
	require.Equal(t, 200, b.ask(t, b.test, "PATCH", path, `{"name":"B"}`).Status)
	again := b.ask(t, b.test, "PATCH", path, `{"name":"A"}`, "Idempotency-Key", "k")
	require.Equal(t, string(first.Body), string(again.Body))
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(t, "B", as[Plan](t, 200, b.ask(t, b.test, "GET", path, nil)).Name)
	problem(t, 422, "idempotency_key_reused", "Idempotency-Key",
		b.ask(t, b.test, "PATCH", path, `{"name":"C"}`, "Idempotency-Key", "k"))
}

func TestListPlans_PublishableKeySeesActivePlansWithoutMetadata(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sold := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Pro","currency":"USD","interval":"month","amount":1900,"metadata":{"margin":"0.8"}}`))
	gone := b.newPlan(t, b.test)
	require.Equal(t, 200, b.ask(t, b.test, "PATCH", "/api/plans/"+gone.ID, `{"active":false}`).Status)
	key := b.newKey(t, b.test, db.NewAPIKey{Kind: string(apikey.Publishable)})
	for _, query := range []string{"", "?active=true", "?limit=1"} {
		got := b.send(t, "GET", "/v1/plans"+query, nil, "Authorization", "Bearer "+key)
		require.NotContains(t, string(got.Body), "metadata")
		require.Equal(t, httpkit.List[PublicPlan]{Data: []PublicPlan{sold.PublicPlan}},
			as[httpkit.List[PublicPlan]](t, 200, got), query)
	}
	problem(t, 403, "secret_key_required", "active",
		b.send(t, "GET", "/v1/plans?active=false", nil, "Authorization", "Bearer "+key))
}

func TestCreatePlan_KeepsPriceModel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"x","currency":"USD","interval":"month","prices":[{"amount":1},{"amount":2,"model":"flat"}]}`))
	require.Equal(t, []string{"flat", "flat"}, []string{got.Prices[0].Model, got.Prices[1].Model})
}

// Every resource with metadata takes the same, and gives it back as it was sent.
func TestMetadata_ReturnedAsSent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const notes = `{"big":12345678901234567890,"exact":1.50,"left":null,"long":"` + "\u00e9<&>" +
		`","no":false,"small":-1e-7,"text":"1","zero":-0}`
	const back = `{"big":12345678901234567890,"exact":1.50,"left":null,"long":"é<&>","no":false,"small":-1e-7,"text":"1","zero":-0}`
	plan := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"x","currency":"USD","interval":"month","amount":1,"metadata":`+notes+`}`))
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers",
		`{"email":"a@example.com","metadata":`+notes+`}`))
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		`{"customerId":"`+cust.ID+`","planId":"`+plan.ID+`","metadata":`+notes+`}`))
	for _, path := range []string{"/plans/" + plan.ID, "/customers/" + cust.ID, "/subscriptions/" + sub.ID} {
		got := b.ask(t, b.test, "GET", "/api"+path, nil)
		require.Contains(t, string(got.Body), `"metadata":`+back, path)
		if strings.HasPrefix(path, "/subscriptions") {
			continue
		}
		changed := b.ask(t, b.test, "PATCH", "/api"+path, `{"metadata":{"n":0.10}}`)
		require.Contains(t, string(changed.Body), `"metadata":{"n":0.10}`, path)
		require.True(t, bytes.Contains(b.ask(t, b.test, "GET", "/api"+path, nil).Body, []byte(`"metadata":{"n":0.10}`)), path)
	}
}
