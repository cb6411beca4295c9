package moving

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/service/movefile"
	"perennial/service/tenancy"
	"perennial/test/scene"
)

func methodOf(n, customer int, more string) string {
	return fmt.Sprintf(`{"type":"payment_method","id":"m-%d","customer":"c-%d","paymentMethod":"card","paymentDetails":`+
		`{"provider":"stripe","customerToken":"cus_%d","paymentMethodToken":"pm_%d"}%s}`, n, customer, customer, n, more)
}

func grantOf(n int, more string) string {
	return fmt.Sprintf(`{"type":"credit_grant","id":"g-%d","customer":"c-1","currency":"EUR","amount":300%s}`, n, more)
}

// A customer's further payment methods are imported once, what is known of the default's card is added to it, and a
// subscription names one of them.
func TestImport_PaymentMethods(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(1900))
	file := []string{
		customerOf(1), customerOf(2), subscriptionOf(1, `,"paymentMethod":"m-7"`), subscriptionOf(2, `,"paymentMethod":"m-7"`),
		methodOf(1, 1, `,"default":true,"card":{"brand":"visa","lastFour":"4242","expiryYear":2028,"expiryMonth":8}`),
		methodOf(7, 1, `,"billingName":"Ada","createdAt":1765000000`), methodOf(8, 1, `,"default":true`), methodOf(9, 3, ""),
		strings.Replace(methodOf(10, 1, ""), `"paymentMethodToken":"pm_10"`, `"provider":"stripe"`, 1),
		methodOf(11, 1, `,"card":{"lastFour":"42"}`),
	}
	want := map[string]string{
		"c-1": "imported", "c-2": "imported", "s-1": "imported", "s-2": "4 import_payment_method_unknown", "m-1": "imported",
		"m-7": "imported", "m-8": "7 import_method_not_default", "m-9": "8 import_customer_unknown",
		"m-10": "9 field_missing", "m-11": "10 import_card_invalid",
	}

	dry := svc.imported(t, by, ImportOptions{DryRun: true, Batch: 1}, file...)
	require.Equal(t, want, dry.outcomes)
	require.Zero(t, rows(t, s, "payment_methods"))
	require.Equal(t, want, svc.imported(t, by, ImportOptions{}, file...).outcomes)

	require.Equal(t, 3, rows(t, s, "payment_methods"))
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, idOf(t, s, "s-1"))
	require.NoError(t, err)
	all, err := s.Store.Customers.AllPaymentMethods(t.Context(), s.Env, sub.CustomerID)
	require.NoError(t, err)
	require.Equal(t, []any{true, "visa", "4242", 2028, false, "Ada", sub.PaymentMethodID, int64(1765000000)}, []any{
		all[0].Default, all[0].Card.Brand, all[0].Card.LastFour, all[0].Card.ExpiryYear, all[1].Default, all[1].BillingName,
		all[1].ID, all[1].CreatedAt.Unix(),
	})
	before := s.Rows(t)
	want["s-1"], want["c-1"], want["c-2"], want["m-1"], want["m-7"] = "present", "present", "present", "present", "present"
	require.Equal(t, want, svc.imported(t, by, ImportOptions{}, file...).outcomes)
	require.Equal(t, before, s.Rows(t), "a repetition writes nothing")
	scene.RequireLawful(t, s.Pool)
}

func TestImport_TooManyPaymentMethods(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	file := []string{customerOf(1)}
	for n := range 20 {
		file = append(file, methodOf(100+n, 1, ""))
	}
	for _, o := range []ImportOptions{{DryRun: true, Batch: 7}, {Batch: 7}} {
		out := svc.imported(t, by, o, file...).outcomes
		if o.DryRun { // it does not know the row of the default, which the customer brings
			require.Equal(t, "imported", out["m-118"])
			continue
		}
		require.Equal(t, "imported", out["m-118"])
		require.Equal(t, "21 payment_methods_too_many", out["m-119"])
	}
}

// What is left of a grant is imported once; the ledger has it from the day of the import on.
func TestImport_CreditGrants(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(1900))
	file := []string{
		customerOf(1), grantOf(1, `,"priority":4,"plans":["Plan"],"name":"Welcome","createdAt":1765000000,"expiresAt":1800000000`),
		grantOf(2, `,"plans":["Gold"]`), grantOf(3, `,"expiresAt":1765000000`), grantOf(4, `,"priority":400`),
		strings.Replace(grantOf(5, ""), "EUR", "EURO", 1), strings.Replace(grantOf(6, ""), "c-1", "c-2", 1), grantOf(7, ""),
		strings.Replace(grantOf(8, `,"plans":["Plan"]`), "EUR", "USD", 1),
	}
	want := map[string]string{
		"c-1": "imported", "g-1": "imported", "g-2": "3 import_plan_unknown", "g-3": "4 expires_at_past",
		"g-4": "5 priority_invalid", "g-5": "6 currency_unknown", "g-6": "7 import_customer_unknown", "g-7": "imported",
		"g-8": "9 currency_mismatch",
	}

	require.Equal(t, want, svc.imported(t, by, ImportOptions{DryRun: true, Batch: 1}, file...).outcomes)
	require.Zero(t, rows(t, s, "credit_grants"))
	require.Equal(t, want, svc.imported(t, by, ImportOptions{}, file...).outcomes)
	require.Equal(t, "present", svc.imported(t, by, ImportOptions{}, file...).outcomes["g-1"])

	var given, entered time.Time
	var left, whole int
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select g.created_at, e.created_at, g.remaining, b.granted
		from credit_grants g join credit_entries e on e.grant_id = g.id
		join credit_balances b on b.customer_id = g.customer_id where g.priority = 4`).Scan(&given, &entered, &left, &whole))
	require.Equal(t, []any{int64(1765000000), s.Clock.Now().Unix(), 300, 600},
		[]any{given.Unix(), entered.Unix(), left, whole})
	scene.RequireLawful(t, s.Pool)
}

// Settings are those of a new environment until somebody has chosen others there.
func TestImport_Settings(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	record := `{"type":"settings","pastDueBilling":"accrue","seller":{"name":"Acme","country":"DE"},` +
		`"invoiceNumbers":{"prefix":"A-","digits":5},"renewalReminderDays":1%s}`
	one := func(more string) string {
		return svc.imported(t, by, ImportOptions{}, fmt.Sprintf(record, more)).outcomes["settings"]
	}
	require.Equal(t, "1 import_time_zone", one(`,"timeZone":"Europe/Paris"`))
	require.Equal(t, "1 invoice_grace_out_of_range", one(`,"invoiceGraceMinutes":-1`))
	require.Equal(t, "1 country_unknown", one(`,"seller":{"name":"Acme","country":"ZZ"}`))
	require.Equal(t, "imported", svc.imported(t, by, ImportOptions{DryRun: true}, fmt.Sprintf(record, "")).outcomes["settings"])
	require.Zero(t, rows(t, s, "imported_records"))
	require.Equal(t, "imported", one(""))
	e, err := s.Store.Tenancy.Environment(t.Context(), s.Env)
	require.NoError(t, err)
	require.Equal(t, []any{"accrue", "Acme", "A-"}, []any{
		string(e.Settings.PastDueBilling), e.Settings.Seller.Name, e.Settings.InvoiceNumbers.Prefix,
	})
	require.Equal(t, "present", one(""))
	require.Equal(t, "1 import_record_changed", one(`,"invoiceGraceMinutes":5`))
	require.Equal(t, "1 import_settings_changed", svc.imported(t, by, ImportOptions{Source: "other"},
		`{"type":"settings","pastDueBilling":"skip"}`).outcomes["settings"])
}

// A setting that somebody changes after an import began stays: the record is judged by the settings that it changes.
func TestImport_SettingsChangeMeanwhile(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	im, err := svc.newImport(t.Context(), by, ImportOptions{}, func(l ImportedLine) { require.NoError(t, l.Fault) })
	require.NoError(t, err)
	days := 9
	_, err = svc.Tenancy.UpdateSettings(t.Context(), by, tenancy.SettingsUpdate{RenewalReminderDays: &days}, nil)
	require.NoError(t, err)

	record := movefile.Record{
		Type: moving.SettingsType, ID: moving.SettingsID, Settings: &moving.Settings{Seller: &invoice.Seller{Name: "Acme"}},
	}
	im.of = record.Type
	require.NoError(t, im.add(t.Context(), record))
	require.NoError(t, im.flush(t.Context()))

	e, err := s.Store.Tenancy.Environment(t.Context(), s.Env)
	require.NoError(t, err)
	require.Equal(t, []any{"Acme", days}, []any{e.Settings.Seller.Name, e.Settings.RenewalReminderDays})
}

// A subscription keeps its coupons for the periods that are left, and its changes at dates.
func TestImport_CouponsAndChanges(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(1000))
	gold := scene.Monthly(3000)
	gold.Name = "Gold"
	s.Plan(t, gold)
	_, err := svc.Catalog.CreateCoupon(t.Context(), by, discount.Coupon{Code: "HALF", Terms: discount.Terms{
		Discount: discount.Discount{Percent: money.Whole(50)}, Duration: discount.Repeating, Periods: 5}}, nil)
	require.NoError(t, err)
	change := `,"scheduledChanges":[{"at":"2026-03-10T00:00:00Z","plan":"Gold","prorationBehavior":"none"}]`
	file := []string{
		customerOf(1), subscriptionOf(1, `,"coupons":[{"code":"half","periodsLeft":2,"redeemedAt":1765000000}]`+change),
		customerOf(2), subscriptionOf(2, `,"coupons":[{"code":"HALF","periodsLeft":6}]`),
		customerOf(3), subscriptionOf(3, `,"coupons":[{"code":"NONE"}]`),
		customerOf(4), subscriptionOf(4, strings.Replace(change, "2026-03-10", "2026-01-20", 1)),
		customerOf(5), subscriptionOf(5, strings.Replace(change, "Gold", "Silver", 1)),
		customerOf(6), subscriptionOf(6, strings.Replace(strings.Replace(change, "none", "always_invoice", 1), "03-10", "01-20", 1)),
		customerOf(7), subscriptionOf(7, strings.Replace(change, `"plan":"Gold"`, `"anchor":true,"quantity":2`, 1)),
		customerOf(8), subscriptionOf(8, strings.Replace(change, `"plan":"Gold",`, "", 1)),
	}
	want := map[string]string{
		"s-1": "imported", "s-2": "4 import_coupon_periods", "s-3": "6 coupon_not_found", "s-4": "imported",
		"s-5": "10 import_plan_unknown", "s-6": "12 period_paid_elsewhere",
		"s-7": "14 import_anchor_with_others", "s-8": "16 import_change_empty",
	}
	for n := 1; n <= 8; n++ {
		want[fmt.Sprintf("c-%d", n)] = "imported"
	}
	dry := svc.imported(t, by, ImportOptions{DryRun: true}, file...)
	require.Equal(t, want, dry.outcomes)
	require.Equal(t, money.Minor(500), dry.next["s-1"].Total)
	require.Equal(t, want, svc.imported(t, by, ImportOptions{}, file...).outcomes)

	seen, err := svc.Subscriptions.Outlook(t.Context(), by, idOf(t, s, "s-1"), 6)
	require.NoError(t, err)
	var totals []money.Minor
	for _, e := range seen.Expected {
		if e.Amount > 0 {
			totals = append(totals, e.Amount)
		}
	}
	require.Equal(t, []money.Minor{500, 500, 3000}, totals[:3], "two periods at half the price, then the other plan")
}
