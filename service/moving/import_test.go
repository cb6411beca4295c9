package moving

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/contract"
	"perennial/db"
	"perennial/service/movefile"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// customerOf and subscriptionOf return lines of a file. The scene begins on 15 January 2026 at midnight.
func customerOf(n int) string {
	return fmt.Sprintf(`{"type":"customer","id":"c-%d","email":"c%d@example.com","paymentMethod":"card","paymentDetails":`+
		`{"provider":"stripe","customerToken":"cus_%d","paymentMethodToken":"pm_%d"}}`, n, n, n, n)
}

func subscriptionOf(n int, more string) string {
	return fmt.Sprintf(`{"type":"subscription","id":"s-%d","customer":"c-%d","plan":"Plan","status":"active",`+
		`"anchor":"2025-10-31T09:00:00Z","currentPeriodStart":"2025-12-31T09:00:00Z","currentPeriodEnd":"2026-01-31T09:00:00Z"%s}`,
		n, n, more)
}

func balanceOf(n, amount int) string {
	return fmt.Sprintf(`{"type":"balance","customer":"c-%d","currency":"EUR","amount":%d}`, n, amount)
}

// imports has the results of an import: outcomes by external id, refusals with their code.
type imports struct {
	outcomes map[string]string
	next     map[string]*NextBill
}

func importFrom(
	ctx context.Context, t *testing.T, s *Service, by usecase.Caller, o ImportOptions, lines ...string,
) (imports, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "move.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	file, err := movefile.Open(path, "")
	require.NoError(t, err)
	out := imports{map[string]string{}, map[string]*NextBill{}}
	err = s.Import(ctx, by, []movefile.File{file}, o, func(l ImportedLine) {
		out.outcomes[l.ID] = string(l.Outcome)
		if l.Fault != nil {
			out.outcomes[l.ID] = fmt.Sprintf("%d %s", l.Line, fault.From(l.Fault).Code)
		}
		out.next[l.ID] = l.Next
	})
	return out, err
}

func (s *Service) imported(t *testing.T, by usecase.Caller, o ImportOptions, lines ...string) imports {
	t.Helper()
	out, err := importFrom(t.Context(), t, s, by, o, lines...)
	require.NoError(t, err)
	return out
}

// idOf returns the id of an imported subscription.
func idOf(t *testing.T, s *scene.Scene, externalID string) string {
	t.Helper()
	var found string
	require.NoError(t, s.Pool.QueryRow(t.Context(),
		"select object_id from imported_records where environment_id = $1 and type = 'subscription' and external_id = $2",
		s.Env, externalID).Scan(&found))
	return found
}

func rows(t *testing.T, s *scene.Scene, table string) (n int) {
	t.Helper()
	require.NoError(t, s.Pool.QueryRow(t.Context(), "select count(*) from "+table).Scan(&n))
	return n
}

// A second import of a file changes nothing. Other contents under a known id and invalid records are refused by line,
// and the rest of the batch is imported. A dry run reports the same and writes nothing.
func TestImport_IsIdempotent(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(1900))
	file := []string{
		subscriptionOf(1, `,"quantity":2`), customerOf(1), customerOf(2), balanceOf(1, 500),
		subscriptionOf(2, `,"plan":"Gold"`), subscriptionOf(3, ""), "x", `{"type":"invoice","id":"in_1"}`, customerOf(1),
	}
	want := map[string]string{
		"c-1": "present", "c-2": "imported", "c-1/EUR": "imported", "s-1": "imported", "s-2": "5 import_plan_unknown",
		"s-3": "6 import_customer_unknown", "": "left_out",
	}

	dry := svc.imported(t, by, ImportOptions{DryRun: true, Batch: 2}, file...)

	require.Equal(t, want, dry.outcomes)
	require.Equal(t, &NextBill{
		At: time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC), Currency: "EUR", Total: 1900, Due: 1400,
	}, dry.next["s-1"])
	for _, table := range []string{"customers", "subscriptions", "credit_entries", "imported_records", "events"} {
		require.Zero(t, rows(t, s, table), table)
	}
	require.Equal(t, want, svc.imported(t, by, ImportOptions{}, file...).outcomes)
	again := svc.imported(t, by, ImportOptions{}, file...)
	require.Equal(t, "present", again.outcomes["s-1"])
	require.Equal(t, "present", again.outcomes["c-1/EUR"])
	require.Equal(t, map[string]string{"c-1": "present", "s-1": "1 import_record_changed",
		"c-1/EUR": "3 import_record_changed"},
		svc.imported(t, by, ImportOptions{}, subscriptionOf(1, ""), customerOf(1), balanceOf(1, 501)).outcomes)
	require.Equal(t, []int{2, 1, 1, 4, 0}, []int{
		rows(t, s, "customers"), rows(t, s, "subscriptions"), rows(t, s, "credit_entries"), rows(t, s, "imported_records"),
		rows(t, s, "events"),
	}, "nothing is announced")
	require.Empty(t, s.Started.Signals())
	scene.RequireLawful(t, s.Pool)
}

// An import that was killed between two batches continues where it stopped.
func TestImport_GoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(1900))
	var file []string
	for n := range 7 {
		file = append(file, customerOf(n), subscriptionOf(n, ""))
	}
	ctx, kill := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "move.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(file, "\n")), 0o600))
	f, err := movefile.Open(path, "")
	require.NoError(t, err)
	told := 0

	err = svc.Import(ctx, by, []movefile.File{f}, ImportOptions{Batch: 3}, func(ImportedLine) {
		if told++; told == 9 { // seven customers, and two of the first batch of subscriptions
			kill()
		}
	})

	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []int{7, 3}, []int{rows(t, s, "customers"), rows(t, s, "subscriptions")})
	out := svc.imported(t, by, ImportOptions{Announce: true}, file...)
	require.Equal(t, "present", out.outcomes["s-2"])
	require.Equal(t, "imported", out.outcomes["s-3"])
	require.Equal(t, []int{7, 7}, []int{rows(t, s, "customers"), rows(t, s, "subscriptions")})
	require.Equal(t, 4, rows(t, s, "events where type = 'subscription.created'"), "announced, since it was asked for")
}

// A strict import keeps the records before the first refusal, and imports none after it.
func TestImport_StrictStops(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)

	out, err := importFrom(t.Context(), t, svc.Service, by, ImportOptions{Strict: true}, customerOf(1), "x", customerOf(2))

	require.ErrorIs(t, err, ErrImportStopped)
	require.Equal(t, map[string]string{"c-1": "imported", "": "2 import_line_malformed"}, out.outcomes)
	require.Equal(t, 1, rows(t, s, "customers"))
}

// An import does not bring back a deleted customer, and leaves no trace of the data.
func TestImport_DeletedStaysDeleted(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(1900))
	svc.imported(t, by, ImportOptions{}, customerOf(1))
	var customerID string
	require.NoError(t, s.Pool.QueryRow(t.Context(), "select id from customers").Scan(&customerID))
	s.InTx(t, func(tx *db.Tx) error { return tx.Customers.Erase(t.Context(), s.Env, customerID) })

	out := svc.imported(t, by, ImportOptions{}, customerOf(1), subscriptionOf(1, ""), balanceOf(1, 5))

	require.Equal(t, map[string]string{
		"c-1": "1 import_record_erased", "s-1": "2 import_record_erased", "c-1/EUR": "3 import_record_erased",
	}, out.outcomes)
	require.Equal(t, 1, rows(t, s, "imported_records where hash is null"))
	require.Zero(t, rows(t, s, "imported_records where external_id like '%c-1%'"), "the id may be an e-mail address")
}

// An imported subscription is billed at its next boundary by the usual activities, once, less its imported balance, and
// never before.
func TestImport_IsBilledAtTheNextBoundary(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(1900))
	svc.imported(t, by, ImportOptions{}, customerOf(1), subscriptionOf(1, ""), balanceOf(1, 500))
	ref := contract.Ref{EnvironmentID: s.Env, ID: idOf(t, s, "s-1")}
	due := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)

	unstarted, err := s.Store.Reconcile.UnstartedSubscriptions(t.Context(), 1, 10)
	require.NoError(t, err)
	require.Contains(t, unstarted, db.Ref{EnvironmentID: s.Env, ID: ref.ID}, "the reconciler starts it")
	s.Clock.Set(due.Add(-time.Second))
	advance(t, s, ref)
	require.Zero(t, rows(t, s, "invoices"))
	s.Clock.Set(due)
	advance(t, s, ref)

	found, _, err := s.Store.Invoices.List(t.Context(), s.Env, db.InvoiceFilter{}, db.Page{Limit: 10, Unsettled: true})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, period.Period{Start: due, End: time.Date(2026, 2, 28, 9, 0, 0, 0, time.UTC)}, found[0].Period)
	require.EqualValues(t, 1900, found[0].Total)
	require.EqualValues(t, 1400, found[0].AmountDue)
	scene.RequireLawful(t, s.Pool)
}

// advance performs all due actions of a subscription.
func advance(t *testing.T, s *scene.Scene, ref contract.Ref) {
	t.Helper()
	s.InTx(t, func(tx *db.Tx) error {
		found, err := tx.Lifecycle.LockSubscription(t.Context(), s.Env, ref.ID)
		if err != nil {
			return err
		}
		state, changes, err := lifecycle.Advance(found, db.Moment(s.Clock.Now(), s.Clock.Now()))
		if err != nil {
			return err
		}
		return tx.Lifecycle.Write(t.Context(), s.Env, state, changes)
	})
}

// An export that is imported into an empty environment of another app has the same future.
func TestExport_RoundTrip(t *testing.T) {
	t.Parallel()
	from, to := scene.New(t), scene.New(t)
	svc, by := at(from)
	plans := []string{"Plan", "Gold"}
	for i, name := range plans {
		for _, s := range []*scene.Scene{from, to} {
			p := scene.Monthly(money.Minor(1900 + 1000*i))
			p.Name, p.TrialDays = name, 14*i
			s.Plan(t, p)
		}
	}
	svc.imported(t, by, ImportOptions{}, customerOf(1), customerOf(2), customerOf(3), balanceOf(1, 500), balanceOf(2, -70),
		subscriptionOf(1, `,"timeZone":"Europe/Berlin"`), subscriptionOf(2, `,"pendingPlan":"Gold","pendingQuantity":4`),
		subscriptionOf(3, `,"cancelAtPeriodEnd":true,"metadata":{"crm":7}`))
	made := from.Customer(t, "") // and one that was created by the API
	native, err := svc.Subscriptions.CreateSubscription(t.Context(), by, subscriptions.NewSubscription{
		CustomerID: made.ID, PlanID: planNamed(t, from, "Gold"),
	}, nil)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, svc.Export(t.Context(), from.Env, ExportOptions{WithPaymentTokens: true}, &file))
	require.Contains(t, file.String(), "pm_2")
	require.Regexp(t, `"type":"subscription".*"currency":"EUR"`, file.String(),
		"also where it is the plan's own: elsewhere it may not be")

	other, there := at(to)
	lines := strings.Split(strings.TrimSpace(file.String()), "\n")
	out := other.imported(t, there, ImportOptions{}, lines...)

	for external, here := range map[string]string{
		"s-1": idOf(t, from, "s-1"), "s-2": idOf(t, from, "s-2"), "s-3": idOf(t, from, "s-3"), native.ID: native.ID,
	} {
		require.Equal(t, "imported", out.outcomes[external])
		want, err := svc.Subscriptions.Outlook(t.Context(), by, here, 5)
		require.NoError(t, err)
		got, err := other.Subscriptions.Outlook(t.Context(), there, idOf(t, to, external), 5)
		require.NoError(t, err)
		require.NotEmpty(t, want.Expected)
		for i := range want.Expected {
			if want.Expected[i].PlanID != "" { // plan ids differ between environments
				require.NotEmpty(t, got.Expected[i].PlanID)
				got.Expected[i].PlanID = want.Expected[i].PlanID
			}
		}
		require.Equal(t, want.Expected, got.Expected, external)
	}
	before := []int{rows(t, from, "customers"), rows(t, from, "subscriptions"), rows(t, from, "credit_entries")}
	for _, dry := range []bool{true, false} { // importing an export into its own environment duplicates nothing
		for external, outcome := range svc.imported(t, by, ImportOptions{DryRun: dry}, lines...).outcomes {
			if external != "" { // history has no external id
				require.Equal(t, "present", outcome, external)
			}
		}
	}
	after := []int{rows(t, from, "customers"), rows(t, from, "subscriptions"), rows(t, from, "credit_entries")}
	require.Equal(t, before, after)
	_, err = from.Pool.Exec(t.Context(), "update subscriptions set pending_lines = '[{}]' where id = $1", native.ID)
	require.NoError(t, err)
	require.NoError(t, svc.Customers.GrantCredit(t.Context(), by, balance.Grant{
		CustomerID: made.ID, Currency: "EUR", Amount: 300, Priority: 4, PlanIDs: []string{planNamed(t, from, "Gold")},
	}, usecase.Around[db.CreditGrant]{}))
	file.Reset()
	var waits []string
	require.NoError(t, svc.Export(t.Context(), from.Env, ExportOptions{Left: func(objectID string, what Leftover) error {
		require.Equal(t, WaitingProrations, what)
		waits = append(waits, objectID)
		return nil
	}}, &file))
	require.NotContains(t, file.String(), "pm_2")
	require.Equal(t, []string{native.ID}, waits, "what is not in the file is named")
	require.Regexp(t, `"type":"credit_grant".*"amount":300,"priority":4,"plans":\["Gold"\]`, file.String())
}

func planNamed(t *testing.T, s *scene.Scene, name string) (found string) {
	t.Helper()
	require.NoError(t, s.Pool.QueryRow(t.Context(), "select id from plans where name = $1", name).Scan(&found))
	return found
}
