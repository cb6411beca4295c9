package proration_test

import (
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
)

// days is a span of whole days, both named; ours excludes its end.
func days(t *testing.T, first, last string) period.Period {
	t.Helper()
	start, err := time.Parse(time.DateOnly, first)
	require.NoError(t, err)
	end, err := time.Parse(time.DateOnly, last)
	require.NoError(t, err)
	return period.Period{Start: start, End: end.AddDate(0, 0, 1)}
}

// lagoPeriod names days, which the peer reads in the zone of the case: all of them are local already.
type lagoPeriod struct {
	Interval string
	First    string `json:"period_first_day"`
	Last     string `json:"period_last_day"`
	From     string `json:"billed_first_day"`
	To       string `json:"billed_last_day"`
}

func (in lagoPeriod) span(t *testing.T) proration.Span {
	t.Helper()
	got, err := proration.DayInclusive.Span(days(t, in.First, in.Last), days(t, in.From, in.To), nil)
	require.NoError(t, err)
	return got
}

type periodFeeInput struct {
	lagoPeriod
	Amount money.Minor

	// Why the days are those, which the case says in days as well.
	Advance      bool   `json:"pay_in_advance"`
	Terminated   string `json:"terminated_on"`
	TerminatedAt string `json:"terminated_at"`
	Replaced     bool   `json:"replaced_by_next_subscription"`
	Upgraded     bool   `json:"upgraded_from_previous"`
	Previous     string `json:"previous_plan_interval"`
	TimeZone     string
	Anchor, Kind string
}

type periodFeeResult struct {
	Amount  *money.Minor
	Precise *string
}

func checkPeriodFee(t *testing.T, in periodFeeInput, want periodFeeResult) {
	span := in.span(t)
	if in.Terminated != "" && !in.Replaced {
		requireTermination(t, in, span)
	}
	if want.Amount != nil {
		requireShare(t, *want.Amount, in.Amount, span)
	}
	if want.Precise != nil { // a binary fraction of about 16 digits: six decimals of it are exact
		precise, _, err := apd.NewFromString(*want.Precise)
		require.NoError(t, err)
		precise.Exponent += 6
		expected, err := money.RoundDecimal(precise, "JPY")
		require.NoError(t, err)
		require.Equal(t, expected, money.Part(in.Amount*1_000_000, 0, span.Units(), span.Length))
	}
}

// requireTermination ends the use in the afternoon of its last day: that day is used.
func requireTermination(t *testing.T, in periodFeeInput, span proration.Span) {
	t.Helper()
	day, err := time.Parse(time.DateOnly, in.Terminated)
	require.NoError(t, err)
	unused, err := proration.DayInclusive.Unused(days(t, in.First, in.Last), day.Add(15*time.Hour), nil)
	require.NoError(t, err)
	require.Equal(t, span.To, unused.From)
}

// requireShare compares with a share that the peer rounds alone. Where the span does not begin with the period, ours is
// the difference of two rounded running totals: it may be a unit off in between, and at an exact half.
func requireShare(t *testing.T, want, price money.Minor, span proration.Span) {
	t.Helper()
	got := span.Of(price)
	half := (2*int64(price)*span.From)%(2*span.Length) == span.Length
	if span.From > 0 && (span.To < span.Length || half) {
		require.LessOrEqual(t, max(want-got, got-want), money.Minor(1), "%+v of %d", span, price)
		return
	}
	require.Equal(t, want, got, "%+v of %d", span, price)
}

// percent is a tax on an amount that is rounded already.
func percent(t *testing.T, of money.Minor, rate money.Decimal) money.Minor {
	t.Helper()
	tax, err := money.Units(of, "EUR").Mul(rate.Hundredth()).Round("EUR")
	require.NoError(t, err)
	return tax
}

type periodInvoiceInput struct {
	lagoPeriod
	Amount   money.Minor
	Tax      money.Decimal `json:"tax_rate_percent"`
	TimeZone string
	Start    string // an instant of the first day billed
}

func checkPeriodInvoice(t *testing.T, in periodInvoiceInput, want struct{ Total money.Minor }) {
	fee := in.span(t).Of(in.Amount)
	require.Equal(t, want.Total, fee+percent(t, fee, in.Tax))
}

type terminationCreditInput struct {
	lagoPeriod
	Amount  money.Minor
	Unused  string        `json:"unused_first_day"`
	UpTo    string        `json:"unused_last_day"`
	Tax     money.Decimal `json:"tax_rate_percent"`
	At      *time.Time    `json:"change_at"`
	Upgrade bool
	Ended   string `json:"terminated_on"`
	OneDay  string `json:"started_and_terminated_on"`
	Note    string
}

type terminationCreditResult struct {
	SubTotal   *money.Minor `json:"sub_total"`
	Tax, Total *money.Minor
}

// checkTerminationCredit ends the use in the afternoon of its last day, or changes it at an instant.
func checkTerminationCredit(t *testing.T, in terminationCreditInput, want terminationCreditResult) {
	of, left := days(t, in.First, in.Last), days(t, in.Unused, in.UpTo)
	span, err := proration.DayInclusive.Span(of, left, nil)
	require.NoError(t, err)
	for _, day := range []string{in.Ended, in.OneDay} {
		if day != "" {
			ended, err := time.Parse(time.DateOnly, day)
			require.NoError(t, err)
			got, err := proration.DayInclusive.Unused(of, ended.Add(15*time.Hour), nil)
			require.NoError(t, err)
			require.Equal(t, span, got)
		}
	}
	if in.Upgrade && in.At != nil {
		got, err := proration.DayInclusive.Rest(of, *in.At, nil)
		require.NoError(t, err)
		require.Equal(t, span, got)
	}
	credit := span.Of(in.Amount)
	tax := percent(t, credit, in.Tax)
	for _, c := range []struct {
		want *money.Minor
		got  money.Minor
	}{{want.SubTotal, credit}, {want.Tax, tax}, {want.Total, credit + tax}} {
		if c.want != nil {
			require.Equal(t, *c.want, c.got)
		}
	}
}

type commitmentInput struct {
	lagoPeriod
	Commitment money.Minor
	Amount     money.Minor `json:"plan_amount"`
}

func checkCommitment(t *testing.T, in commitmentInput, want struct {
	TrueUp money.Minor `json:"true_up"`
}) {
	span := in.span(t)
	require.Equal(t, want.TrueUp, span.Of(in.Commitment)-span.Of(in.Amount))
}

type minimumInput struct {
	lagoPeriod
	Minimum money.Minor
	Usage   []money.Minor `json:"usage_fees"`
	Tax     money.Decimal `json:"tax_rate_percent"`
	Credit  money.Minor   `json:"credit_note_balance"`
}

type minimumResult struct {
	TrueUp    *money.Minor `json:"true_up"`
	TrueUpTax *money.Minor `json:"true_up_tax"`
	Fees      *money.Minor `json:"fees_total"`
	Tax       *money.Minor `json:"tax_total"`
	Total     *money.Minor
}

func checkMinimum(t *testing.T, in minimumInput, want minimumResult) {
	usage, err := money.Sum(in.Usage...)
	require.NoError(t, err)
	trueUp := max(in.span(t).Of(in.Minimum)-usage, 0)
	fees := usage + trueUp
	tax := percent(t, fees, in.Tax)
	for _, c := range []struct {
		want *money.Minor
		got  money.Minor
	}{
		{want.TrueUp, trueUp}, {want.TrueUpTax, percent(t, trueUp, in.Tax)}, {want.Fees, fees}, {want.Tax, tax},
		{want.Total, max(fees+tax-in.Credit, 0)},
	} {
		if c.want != nil {
			require.Equal(t, *c.want, c.got)
		}
	}
}
