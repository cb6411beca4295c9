package rating_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/usage"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service"
	"perennial/test/life"
	"perennial/test/scene"
)

// long returns a monthly plan that is rated from aggregates and from records: calls by region, cumulated, users, and
// payments with a fee for each.
func long(t *testing.T, s *scene.Scene) plan.Plan {
	t.Helper()
	p := metering(calls(t, s))
	p.Metered.Components[0].Cumulated = true
	p.Metered.Components[0].Rates = []metered.Rate{{By: []string{"region"}, Price: rating.Price{
		Model: rating.Graduated, Tiers: []rating.Tier{{UpTo: money.Whole(20), UnitPrice: money.Whole(3)}, {UnitPrice: money.Whole(1)}},
	}}}
	add := func(name string, d usage.Definition, price rating.Price) {
		m := usage.Metric{
			ID: id.New(id.Metric, scene.Start), Version: 1, Name: name, DisplayName: name, Active: true,
			CreatedAt: scene.Start, VersionAt: scene.Start, Definition: d,
		}
		s.InTx(t, func(tx *db.Tx) error { return tx.Usage.InsertMetric(t.Context(), s.Env, m) })
		p.Metered.Components = append(p.Metered.Components, metered.Component{
			ID: id.New(id.Price, scene.Start), MetricName: name, MetricVersionID: m.VersionID(), Rates: []metered.Rate{{Price: price}},
		})
	}
	add("users", usage.Definition{Aggregation: usage.UniqueCount, KeyProperty: "user"}, perUnit("7"))
	add("payments", usage.Definition{Aggregation: usage.Sum}, rating.Price{
		Model: rating.Percentage, Percent: money.Whole(1),
		Transactions: rating.Transactions{Fee: perUnit("0.11").UnitPrice, Free: 5, Maximum: perUnit("0.25").UnitPrice},
	})
	return p
}

// useLong records a hundred of each metric, one an hour.
func useLong(l *life.Life) {
	l.T.Helper()
	var records []db.NewUsage
	for i := range 100 {
		for _, metric := range []string{"calls", "users", "payments"} {
			r := usage.Record{
				ID: id.New(id.UsageRecord, scene.Start), SubscriptionID: l.Ref.ID, Metric: metric, Quantity: money.Whole(int64(1 + i%40)),
				At: scene.Start.Add(time.Duration(i)*time.Hour + time.Minute), Key: fmt.Sprint(l.Ref.ID, metric, i),
				Properties: usage.Properties{"region": fmt.Sprint("r", i%3), "user": fmt.Sprint("u", i%17)},
			}
			records = append(records, db.NewUsage{Record: r, Fingerprint: r.Fingerprint()})
		}
	}
	taken, err := l.Store.UsageLog().RecordUsage(l.T.Context(), db.BySystem("test"), l.Env, l.Clock.Now(), records)
	require.NoError(l.T, err)
	for _, one := range taken {
		require.True(l.T, one.Taken)
	}
}

// longLife returns a subscription whose due renewal waits for the rating of the records of useLong, and the lines of an
// uninterrupted rating.
func longLife(t *testing.T) (l *life.Life, unbroken []string) {
	t.Helper()
	s := scene.New(t)
	p := long(t, s)
	twin := life.Begin(t, s, p)
	l = &life.Life{Scene: s, T: t, Payer: s.Customer(t, "")}
	l.Ref = s.Subscribe(t, l.Payer, p)
	l.Reload()
	l.Until(s.Clock.Now())
	twin.Until(scene.Start.Add(6 * life.Day))
	l.Until(scene.Start.Add(6 * life.Day))
	useLong(twin)
	useLong(l)
	_, err := service.New(s.Store, s.Clock.Now).Usage.RollUpUsage(t.Context())
	require.NoError(t, err)
	twin.Until(twin.Snap.PeriodEnd)
	require.Zero(t, life.Count(t, s, "select count(*) from usage_pages"), "a small count keeps nothing")
	l.Snap, err = l.Advance() // creates the renewal's draft, which is due at once
	require.NoError(t, err)
	s.Usage.PageRows = 20
	return l, last(t, twin)
}

// last returns the lines of the last invoice, which is paid.
func last(t *testing.T, l *life.Life) []string {
	t.Helper()
	all := l.Invoices()
	require.Equal(t, invoice.Paid, all[len(all)-1].Status)
	return amounts(all[len(all)-1])
}

// A count that is killed at each of its pages completes, since it continues after the last page, and its invoice equals
// that of an uninterrupted one.
func TestPages_KilledAtEach(t *testing.T) {
	t.Parallel()
	l, unbroken := longLife(t)
	_, err := l.Pool.Exec(t.Context(), `create sequence tries;
		create function die() returns trigger security definer language plpgsql as $$ begin
			if nextval('tries') % 2 = 1 then raise exception 'killed' using errcode = '57P01'; end if;
			return new; end $$;
		create trigger die before insert on usage_pages for each row execute function die()`)
	require.NoError(t, err)
	kills := 0
	for err = fault.New(fault.Unavailable, "", ""); err != nil; kills++ {
		require.Less(t, kills, 40, "one that begins anew dies at its second page for ever")
		l.Snap, err = l.Usage.BillUsage(t.Context(), contract.AdvanceInput{Ref: l.Ref, Now: l.Clock.Now()})
		if err != nil {
			require.Equal(t, fault.Unavailable, fault.From(err).Kind, err)
		}
	}
	require.Greater(t, kills, 6, "of each metric, more than one page")
	require.Zero(t, life.Count(t, l.Scene, "select count(*) from usage_pages"))
	l.Until(l.Clock.Now())
	require.Equal(t, unbroken, last(t, l))
	l.Sound()
}

// A counted record is not read again: it may be deleted by then.
func TestPages_GoOnBehindTheLastOne(t *testing.T) {
	t.Parallel()
	l, unbroken := longLife(t)
	exec := func(sql string) {
		t.Helper()
		_, err := l.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec(`create function die() returns trigger language plpgsql as $$ begin raise exception 'killed' using errcode = '57P01'; end $$;
		create trigger die before insert on usage_charges for each row execute function die()`)
	in := contract.AdvanceInput{Ref: l.Ref, Now: l.Clock.Now()}
	_, err := l.Usage.BillUsage(t.Context(), in)
	require.Equal(t, fault.Unavailable, fault.From(err).Kind, err)
	require.Equal(t, 3, life.Count(t, l.Scene, "select count(*) from usage_pages"))
	// The first hours are read before the page.
	counted := func(column string) string {
		return fmt.Sprintf("subscription_id = '%s' and %s < (select min(counted_to) from usage_pages) and %s > '%s'",
			l.Ref.ID, column, column, scene.Start.Add(45*time.Hour).Format(time.RFC3339))
	}
	require.Positive(t, life.Count(t, l.Scene, "select count(*) from usage_aggregates where "+counted("bucket")))
	exec("delete from usage_aggregates where " + counted("bucket"))
	exec("delete from usage_records where " + counted("at"))
	exec("drop trigger die on usage_charges")
	l.Snap, err = l.Usage.BillUsage(t.Context(), in)
	require.NoError(t, err)
	l.Until(l.Clock.Now())
	require.Equal(t, unbroken, last(t, l))
}

// A rating that fails counts again from the start: a person may correct counted records.
func TestPages_AreForgottenWhereARatingFails(t *testing.T) {
	t.Parallel()
	l, seen, key := dear(t)
	l.Scene.Usage.PageRows = 1
	l.Until(l.Clock.Now().Add(time.Minute))
	require.Equal(t, []int{1, 2}, seen.times())
	require.Zero(t, life.Count(t, l.Scene, "select count(*) from usage_pages"))
	takenBack(l, key, many)
	l.Until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, []string{"recurring Plan – Base 1 × 10.00 = 1000"}, last(t, l))
}
