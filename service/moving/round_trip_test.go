package moving

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/catalog"
	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/overdue"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/billing/usage"
	"perennial/db"
	servicecatalog "perennial/service/catalog"
	"perennial/service/subscriptions"
	"perennial/service/tenancy"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// exportedRecords returns the lines of an export that an import takes, without the ids that they have here: the
// documented exception of a round trip.
func exportedRecords(t *testing.T, svc columns, env string) (lines []string) {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, svc.Export(t.Context(), env, ExportOptions{WithPaymentTokens: true}, &file))
	for line := range strings.Lines(file.String()) {
		var record map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		var of moving.Type
		require.NoError(t, json.Unmarshal(record["type"], &of))
		if !of.Imports() {
			continue
		}
		var id string
		require.NoError(t, json.Unmarshal(record["perennialId"], &id))
		require.NotEmpty(t, id)
		line = strings.Replace(line, fmt.Sprintf(`,"perennialId":%q`, id), "", 1)
		lines = append(lines, idsWithin.ReplaceAllString(line, "${1}"))
	}
	return lines
}

// idsWithin matches ids of prices and of versions of metrics within a plan.
var idsWithin = regexp.MustCompile(`"id":"price_[0-9a-z]+",?|("metricVersionId":"met_)[0-9a-z]+`)

// sold gives an environment the catalogue of these tests, as a catalogue file does.
func sold(t *testing.T, svc columns, by usecase.Caller) {
	t.Helper()
	product := "mail"
	want := servicecatalog.WantedCatalog{Items: catalog.Items{
		Products: []catalog.Item[plan.Product]{{Key: "mail", Value: plan.Product{Name: "Mail", Active: true}}},
		TaxRates: []catalog.Item[tax.Definition]{{Key: "de", Value: tax.Definition{
			Rate: tax.Rate{Name: "USt", Percent: money.Whole(19)}, Country: "DE"}}},
		Metrics: []catalog.Item[usage.Metric]{{Key: "calls", Value: usage.Metric{
			Version: 1, Name: "calls", DisplayName: "Calls", Active: true, Definition: usage.Definition{Aggregation: usage.Sum}}}},
		Coupons: []catalog.Item[discount.Coupon]{
			{Key: "HALF", Value: discount.Coupon{Code: "HALF", Name: "Half", Active: true, Terms: discount.Terms{
				Discount: discount.Discount{Percent: money.Whole(50)}, Duration: discount.Repeating, Periods: 5,
				PlanIDs: []string{"plan", "gold"}}}},
			{Key: "EVER", Value: discount.Coupon{Code: "EVER", Name: "Ever", Active: true, Terms: discount.Terms{
				Discount: discount.Discount{Percent: money.Whole(5)}, Duration: discount.Forever}}},
		},
	}}
	for i, key := range []string{"plan", "gold", "backup"} {
		p := scene.Monthly(money.Minor(1000 * (i + 1)))
		p.ID, p.Name, p.Key, p.AddOn, p.Active = "", key, key, key == "backup", true
		if key == "plan" {
			p.Name = "Plan"
		}
		want.Plans = append(want.Plans, catalog.Plan{Plan: p, Product: &product})
	}
	_, err := svc.Catalog.ApplyCatalog(t.Context(), by, want)
	require.NoError(t, err)
	for i := range want.Plans { // second versions
		want.Plans[i].Metered = &metered.Prices{Components: []metered.Component{{MetricName: "calls", Rates: []metered.Rate{
			{Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(2)}},
		}}}}
	}
	want.Metrics[0].Value.GroupBy = []string{"region"}
	_, err = svc.Catalog.ApplyCatalog(t.Context(), by, want)
	require.NoError(t, err)
}

// An environment with one of everything is exported, imported elsewhere and exported again: the records are the same,
// byte for byte.
func TestExport_ImportedElsewhereIsTheSame(t *testing.T) {
	t.Parallel()
	from, to := scene.New(t), scene.New(t)
	svc, by := atSealing(t, from)
	sold(t, svc, by)
	prefix := invoice.Numbering{Prefix: "A-", Digits: 5}
	seller := invoice.Seller{Name: "Acme", Country: "DE"}
	owing := overdue.Policy{States: []overdue.State{{Name: "late", Days: 9, NeedsPerson: true}}}
	_, err := svc.Tenancy.UpdateSettings(t.Context(), by,
		tenancy.SettingsUpdate{Seller: &seller, InvoiceNumbers: &prefix, Overdue: &owing}, nil)
	require.NoError(t, err)
	svc.imported(t, by, ImportOptions{},
		customerInFull, subscriptionOf(1, `,"quantity":2,"coupons":[{"code":"HALF","periodsLeft":2}]`),
		customerOf(2), methodOf(21, 2, `,"default":true,"card":{"brand":"visa","lastFour":"4242"}`), methodOf(22, 2, ""),
		subscriptionOf(2, `,"paymentMethod":"m-22","addOns":[{"plan":"backup","quantity":2}],"pendingPlan":"gold"`),
		balanceOf(1, 500), balanceOf(2, -70), grantOf(1, `,"plans":["gold"],"priority":3`),
		`{"type":"customer","id":"c-4","overduePolicy":{"states":[]}}`,
		`{"type":"customer","id":"c-3","overduePolicy":{"states":[{"name":"late","days":5,"needsPerson":true},`+
			`{"name":"out","invoices":2,"amounts":[{"currency":"EUR","amount":900}],"match":"any","access":"deny","subscriptions":"cancel",`+
			`"needsPerson":true}]},"dunning":{"retryGapDays":[1,5],"minimumAmounts":[{"currency":"EUR","amount":500}]},`+
			`"features":[{"key":"seats","limit":7,"until":1800000000}]}`,
		subscriptionOf(3, `,"scheduledChanges":[{"at":"2026-03-10T00:00:00Z","addOns":[{"plan":"backup"}],"prorationBehavior":"none"},{"at":"2026-03-15T00:00:00Z","anchor":true}]`),
		`{"type":"webhook_endpoint","id":"w-1","url":"https://example.com/hook","events":["payment.*"],"description":"Ours"}`,
	)
	made := from.Customer(t, "") // and what was created by the API
	native, err := svc.Subscriptions.CreateSubscription(t.Context(), by, subscriptions.NewSubscription{
		CustomerID: made.ID, PlanID: planNamed(t, from, "gold"),
	}, nil)
	require.NoError(t, err)
	require.Equal(t, subscription.Active, native.Status)
	require.NoError(t, svc.Customers.GrantCredit(t.Context(), by, balance.Grant{
		CustomerID: made.ID, Currency: "EUR", Amount: 300, Priority: 4, PlanIDs: []string{planNamed(t, from, "gold")},
	}, usecase.Around[db.CreditGrant]{}))
	from.Endpoint(t, "https://example.com/other", "*")
	lines := exportedRecords(t, svc, from.Env)
	for _, of := range moving.Imported() {
		require.True(t, slices.ContainsFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, fmt.Sprintf(`{"type":%q,`, of))
		}), of)
	}

	requireMoves(t, lines, to)
}

// requireMoves imports records into an empty environment, and exports them there.
func requireMoves(t *testing.T, lines []string, to *scene.Scene) {
	t.Helper()
	other, there := atSealing(t, to)
	var wanted []string
	for _, line := range lines {
		wanted = append(wanted, strings.TrimSuffix(line, "\n"))
	}
	for range 2 { // a repetition writes nothing
		for external, outcome := range other.imported(t, there, ImportOptions{}, wanted...).outcomes {
			require.Contains(t, []string{"imported", "present"}, outcome, external)
		}
		require.Equal(t, strings.Join(lines, ""), strings.Join(exportedRecords(t, other, to.Env), ""))
	}
	requireKept(t, other, there, to)
	scene.RequireLawful(t, to.Pool)
}

// requireKept imports an export into the environment that it is of: all is there, and nothing changes.
func requireKept(t *testing.T, svc columns, by usecase.Caller, s *scene.Scene) {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, svc.Export(t.Context(), s.Env, ExportOptions{WithPaymentTokens: true}, &file))
	before := s.Rows(t)
	lines := strings.Split(strings.TrimSpace(file.String()), "\n")
	for _, o := range []ImportOptions{{DryRun: true, Batch: 1}, {Batch: 1}, {}, {Source: "other"}} {
		for external, outcome := range svc.imported(t, by, o, lines...).outcomes {
			require.Contains(t, []string{"present", "left_out"}, outcome, "%s of %q", external, o.Source)
		}
	}
	require.Equal(t, before, s.Rows(t))
}

// What was imported may have another name or state since: its record in a later export is there as well.
func TestExport_ImportedWhereItIsFromAfterChanges(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	file := append(strings.Split(strings.Replace(soldFile, `"metered":{`, `"metered":{"minimum":{"amount":900},`+
		`"commitment":{"amount":500},`, 1), "\n"),
		`{"type":"plan","id":"p-2","name":"Pro","currency":"EUR","interval":"month","prices":[{"model":"flat","amount":900}]}`,
		`{"type":"coupon","id":"k-2","code":"TWIN","percent":"50","duration":"once","plans":["p-2"]}`,
		customerOf(1), subscriptionOf(1, `,"plan":"p-1"`), customerOf(2), subscriptionOf(2, `,"plan":"p-2"`), balanceOf(1, 70))
	for external, outcome := range svc.imported(t, by, ImportOptions{Source: "old"}, file...).outcomes {
		if external != "k-1" { // it names a plan by a name that two have
			require.Equal(t, "imported", outcome, external)
		}
	}
	requireKept(t, svc, by, s)
	for _, change := range []string{
		"update products set name = 'Renamed'", "update plans set name = 'Renamed' where version = 1 and product_id is not null",
		"update tax_rates set archived_at = now()", "update metrics set display_name = 'Renamed'",
		"update coupons set active = false", "update customers set name = 'Renamed'", "update subscriptions set quantity = 7",
	} {
		tag, err := s.Pool.Exec(t.Context(), change)
		require.NoError(t, err, change)
		require.NotZero(t, tag.RowsAffected(), change)
	}
	requireKept(t, svc, by, s)
}

// Two environments with the same records, one filled from the other, are imported into a third: the ids within plans
// are no part of the records.
func TestExport_OfACopyIsTheSameElsewhere(t *testing.T) {
	t.Parallel()
	from, to, third := scene.New(t), scene.New(t), scene.New(t)
	svc, by := atSealing(t, from)
	sold(t, svc, by)
	svc.imported(t, by, ImportOptions{}, planRecord("p", 1, "month", 100, ""), planRecord("q", 1, "month", 200, ""),
		customerOf(1), subscriptionOf(1, `,"plan":"p"`), customerOf(2), subscriptionOf(2, `,"plan":"q"`))
	requireMoves(t, exportedRecords(t, svc, from.Env), to)

	last, there := atSealing(t, third)
	for i, s := range []*scene.Scene{from, to} {
		svc, _ := at(s)
		var file bytes.Buffer
		require.NoError(t, svc.Export(t.Context(), s.Env, ExportOptions{WithPaymentTokens: true}, &file))
		lines := strings.Split(strings.TrimSpace(file.String()), "\n")
		for external, outcome := range last.imported(t, there, ImportOptions{}, lines...).outcomes {
			require.Equal(t, []string{"imported", "present"}[i], outcome, external)
		}
	}
}

// An environment that was filled by the same catalogue file has what is sold already, with metrics of its own.
func TestExport_IntoTheSameCatalogue(t *testing.T) {
	t.Parallel()
	from, to := scene.New(t), scene.New(t)
	svc, by := atSealing(t, from)
	other, there := atSealing(t, to)
	sold(t, svc, by)
	sold(t, other, there)
	var wanted []string
	for _, line := range exportedRecords(t, svc, from.Env) {
		wanted = append(wanted, strings.TrimSpace(line))
	}
	for external, outcome := range other.imported(t, there, ImportOptions{}, wanted...).outcomes {
		if external != moving.SettingsID {
			require.Equal(t, "present", outcome, external)
		}
	}
}

// Random environments move as well. The seed of a failure is in its name.
func TestExport_RandomEnvironmentsMove(t *testing.T) {
	t.Parallel()
	for range 4 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			from, to := scene.New(t), scene.New(t)
			svc, by := atSealing(t, from)
			sold(t, svc, by)
			for external, outcome := range svc.imported(t, by, ImportOptions{}, randomFile(rand.New(rand.NewPCG(seed, 1)))...).outcomes {
				require.Equal(t, "imported", outcome, external)
			}
			requireMoves(t, exportedRecords(t, svc, from.Env), to)
		})
	}
}

// randomFile returns records of a random environment, each valid.
func randomFile(r *rand.Rand) (lines []string) {
	maybe := func(options ...string) string {
		if i := r.IntN(len(options) + 1); i < len(options) {
			return options[i]
		}
		return ""
	}
	for n := range 1 + r.IntN(12) {
		lines = append(lines, strings.TrimSuffix(customerOf(n), "}")+
			maybe(`,"country":"DE","region":"BE"`, `,"locale":"fr-FR"`, `,"name":"Ada","metadata":{"crm":7}`)+
			maybe(`,"dunning":{"retryGapDays":[2,3]}`, `,"dunning":{"finalAction":"cancel","cancelAfterDays":9}`)+
			maybe(`,"overduePolicy":{"states":[]}`, `,"overduePolicy":{"states":[{"name":"x","invoices":2,"access":"deny"}]}`)+
			maybe(`,"features":[{"key":"a","excluded":true},{"key":"b","limit":3,"softLimit":true}]`)+
			`,"createdAt":1765000000}`)
		if r.IntN(2) == 0 {
			lines = append(lines, methodOf(n, n, `,"default":true`+maybe(`,"billingName":"Ada"`,
				`,"card":{"expiryYear":2030,"expiryMonth":2}`)))
		}
		named := ""
		if r.IntN(2) == 0 {
			lines = append(lines, methodOf(100+n, n, maybe(`,"createdAt":1765000001`, `,"card":{"brand":"amex"}`)))
			named = maybe(fmt.Sprintf(`,"paymentMethod":"m-%d"`, 100+n))
		}
		if r.IntN(2) == 0 {
			lines = append(lines, balanceOf(n, 1+r.IntN(900)-r.IntN(2)*1000))
		}
		for g := range r.IntN(3) {
			lines = append(lines, strings.Replace(grantOf(n*10+g, maybe(`,"plans":["plan","gold"]`, `,"name":"x","priority":0`)+
				maybe(`,"expiresAt":1800000000`, `,"createdAt":1765000000`)), "c-1", fmt.Sprintf("c-%d", n), 1))
		}
		if r.IntN(5) > 0 {
			lines = append(lines, subscriptionOf(n, named+maybe(`,"quantity":3`, `,"quantity":9`)+
				maybe(`,"addOns":[{"plan":"backup"}]`, `,"addOns":[{"plan":"backup","quantity":4}]`)+
				maybe(`,"coupons":[{"code":"EVER"},{"code":"HALF","periodsLeft":1}]`, `,"coupons":[{"code":"HALF"}]`)+
				maybe(`,"scheduledChanges":[{"at":"2026-04-01T00:00:00Z","plan":"gold"},{"at":"2026-05-01T00:00:00Z","quantity":2}]`)+
				maybe(`,"collectionMethod":"send_invoice","netDays":14`, `,"metadata":{"a":1.50}`)+
				maybe(`,"timeZone":"Europe/Berlin"`)))
		}
	}
	for n := range r.IntN(4) {
		lines = append(lines, fmt.Sprintf(`{"type":"webhook_endpoint","id":"w-%d","url":"https://example.com/%d","events":["*"]%s}`,
			n, n, maybe(`,"payloadShape":"B"`)))
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}
