package proration_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/internal/testkit/peercases"
)

type priced struct {
	UnitPrice money.Decimal `json:"unit_price"`
	Quantity  money.Decimal
}

type changeInput struct {
	Action   string
	Strategy proration.Measure
	TimeZone string
	Start    time.Time `json:"period_start"`
	End      time.Time `json:"period_end"`
	At       time.Time `json:"effective_at"`
	Currency string
	Old, New *priced
	Paid     *money.Decimal `json:"amount_paid"`

	// A line that is added or removed, instead of old and new.
	Price         money.Decimal
	PriceType     string `json:"price_type"` // usage has no price in advance: 0
	Quantity      money.Decimal
	Billed        *money.Decimal
	BilledBefore  *money.Decimal `json:"billed_for_previous_period"` // no bound of a credit of this period
	BilledPeriod  *span          `json:"billed_period"`
	Items         []priced
	EffectiveDate string `json:"effective_date"`
	Proration     string // none, or as the price
	OneTime       bool   `json:"one_time"`
}

func (in changeInput) unprorated() bool { return in.Proration == "none" || in.OneTime }

type changeResult struct{ Net, Credit, Charge *money.Decimal }

// checkChange credits the old and charges the new for the rest of the period. The peer's periods of days include the
// day of their end, and its periods of seconds end one second earlier.
func checkChange(t *testing.T, c peercases.Case, in changeInput, want changeResult) {
	loc := time.UTC
	if in.TimeZone != "" {
		var err error
		loc, err = period.LoadLocation(in.TimeZone)
		require.NoError(t, err)
	}
	require.Empty(t, in.EffectiveDate)
	currency, err := money.ParseCurrency(strings.ToUpper(in.Currency))
	require.NoError(t, err)
	if in.unprorated() {
		checkUnprorated(t, c, in, want, currency)
		return
	}
	require.Empty(t, in.Proration, "a proration that is not known")
	of := period.Period{Start: in.Start, End: in.End}
	switch c.Rule {
	case "fp-day-both-inclusive":
		require.Equal(t, proration.Day, in.Strategy)
		of.End = of.End.In(loc).AddDate(0, 0, 1)
	case "fp-second-minus1":
		require.Equal(t, proration.Second, in.Strategy)
		of.End = of.End.Add(-time.Second)
	}
	rest := proration.Span{Length: 1} // nothing is left from the peer's end on
	if in.At.Before(of.End) {
		rest, err = in.Strategy.Rest(of, in.At, loc)
		require.NoError(t, err)
	}
	share := func(p priced) money.Minor {
		price, err := p.UnitPrice.Mul(p.Quantity).Round(currency)
		require.NoError(t, err)
		return rest.Of(price)
	}
	var credit, charge money.Minor
	bound := in.Paid
	if in.Billed != nil {
		bound = in.Billed
	}
	old, added := in.Old, in.Items
	switch line := (priced{in.Price, in.Quantity}); {
	case in.New != nil:
		added = []priced{*in.New}
	case c.Kind == "add_item":
		added = []priced{line}
	case c.Kind == "remove_item":
		old = &line
	case c.Kind == "add_and_remove":
		old, added = &line, []priced{line}
	}
	if old != nil {
		credit = share(*old)
		if bound != nil {
			billed, err := bound.Round(currency)
			require.NoError(t, err)
			credit = proration.Credit(credit, billed)
		}
	}
	for _, p := range added {
		charge += share(p)
	}
	equal := func(want *money.Decimal, got money.Minor) {
		if want != nil {
			require.Zero(t, want.Cmp(money.Units(got, currency)), "%s, not %d", want, got)
		}
	}
	if want.Credit != nil && want.Credit.Sign() < 0 {
		equal(want.Credit, -credit)
	} else {
		equal(want.Credit, credit)
	}
	equal(want.Charge, charge)
	equal(want.Net, charge-credit)
}
