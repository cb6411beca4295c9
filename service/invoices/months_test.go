package invoices_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/monthly"
	"perennial/internal/testkit"
	"perennial/service/invoices"
	"perennial/service/servicetest"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// The months that companies live through: their first midnights are at 23:00 UTC.
var months = []monthly.Month{
	{Year: 2026, Month: time.January}, {Year: 2026, Month: time.February}, {Year: 2026, Month: time.March},
	{Year: 2026, Month: time.April},
}

// A company of random documents, reported month by month, is what a recount of the rows finds, to the minor unit, and
// what is open at the end of a month is open at the start of the next.
func TestMonth_IsARecount(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3, uint64(time.Now().UnixNano())} {
		t.Logf("seed %d", seed)
		stage := servicetest.New(t)
		c := newCompany(t, stage, seed)
		for range 150 {
			c.act(t)
		}
		service := invoices.New(stage.Base)
		for _, m := range months {
			var seen documents
			report, err := service.Month(t.Context(), stage.Caller, m, seen.take())
			require.NoError(t, err)
			requireRecounted(t, stage.Scene, m, report, seen)
			again, err := service.Month(t.Context(), stage.Caller, m, invoices.MonthDocuments{})
			require.NoError(t, err)
			require.Equal(t, report.Sections(), again.Sections())
		}
		require.Positive(t, c.done["issue"]*c.done["pay"]*c.done["void"]*c.done["note"]*c.done["write off"], c.done)
	}
}

// The figures of a month that is over stay what they are, whatever happens later to its documents.
func TestMonth_StaysClosed(t *testing.T) {
	t.Parallel()
	stage := servicetest.New(t)
	c := newCompany(t, stage, 7)
	given := c.giveUp(t, c.credited(t))
	for c.now.Before(time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC)) {
		c.act(t)
	}
	service := invoices.New(stage.Base)
	of := func() ([]monthly.Section, []monthly.TaxRow) {
		report, err := service.Month(t.Context(), stage.Caller, months[0], invoices.MonthDocuments{})
		require.NoError(t, err)
		return report.Sections(), report.Taxes()
	}
	sections, taxes := of()
	c.settle(t, given)
	_, written := c.noteOn(t, given.Settle(c.now), 1000)
	require.True(t, written)
	for range 120 {
		c.act(t)
	}
	c.eraseBuyers(t)
	later, taxesLater := of()
	require.Equal(t, sections, later)
	require.Equal(t, taxes, taxesLater, "the country stays when the buyer is erased")
	require.NotEmpty(t, sections)
}

func TestMonth_RefusesMoreThanAsked(t *testing.T) {
	t.Parallel()
	stage := servicetest.New(t)
	c := newCompany(t, stage, 3)
	for range 10 {
		c.issue(t)
	}
	_, err := invoices.New(stage.Base).Month(t.Context(), stage.Caller, months[0], invoices.MonthDocuments{AtMost: 3})
	require.ErrorIs(t, err, invoices.ErrMonthTooLarge)
}

// documents are those that a report has read.
type documents struct {
	gross   map[monthly.Movement]map[money.Currency]money.Minor
	notes   map[money.Currency]money.Minor
	money   map[monthly.Movement]map[money.Currency]money.Minor
	entries map[invoice.CreditReason]map[money.Currency]money.Minor
}

func (d *documents) take() invoices.MonthDocuments {
	d.gross = map[monthly.Movement]map[money.Currency]money.Minor{}
	d.money = map[monthly.Movement]map[money.Currency]money.Minor{}
	d.notes, d.entries = map[money.Currency]money.Minor{}, map[invoice.CreditReason]map[money.Currency]money.Minor{}
	return invoices.MonthDocuments{
		Invoice: func(i monthly.Invoice) error { add(d.gross, i.Movement, i.Currency, i.Counts().Gross); return nil },
		Note:    func(n monthly.Note) error { d.notes[n.Currency] += n.Gross; return nil },
		Payment: func(p monthly.Payment) error { add(d.money, p.Movement, p.Currency, p.Amount); return nil },
		Entry:   func(e monthly.Entry) error { add(d.entries, e.Reason, e.Currency, e.Amount); return nil },
	}
}

func add[K comparable](to map[K]map[money.Currency]money.Minor, key K, c money.Currency, amount money.Minor) {
	if to[key] == nil {
		to[key] = map[money.Currency]money.Minor{}
	}
	to[key][c] += amount
}
