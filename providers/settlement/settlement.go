// Package settlement reads the files in which payment providers say what they settled, a row at a time, whatever their
// size. It knows the formats that providers publish, and one of its own for all others. It does not own what a row
// means for a payment (billing/reconciliation).
package settlement

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/internal/rowlimit"
)

// The kinds of rows, by the names of billing/reconciliation.
const (
	charge          = "charge"
	chargeReversed  = "charge_reversed"
	refund          = "refund"
	refundReturned  = "refund_returned"
	dispute         = "dispute"
	disputeReversed = "dispute_reversed"
	fee             = "fee"
	other           = "other"
	unknown         = "unknown"
)

// Row is one row of a file. Amounts are in minor units and not below zero. A fee, and the amount of a row that is one,
// is below zero where the provider gave it back.
type Row struct {
	Line      int
	Kind      string // charge, charge_reversed, refund, refund_returned, dispute, dispute_reversed, fee, other or unknown
	Type      string // as the file says
	Reference string // the provider's id of the charge, the refund or the dispute
	ChargeRef string // of a refund or a dispute: the provider's id of its charge
	PaymentID string // ours, where the file has it
	Amount    money.Minor
	Currency  money.Currency
	// Fee, Gross and Net are in the currency of the settlement; Summed: the file says all three.
	Fee, Gross, Net money.Minor
	SettledCurrency money.Currency
	Summed          bool
	Problem         string // why the row cannot be read; empty: it can
}

// Neutral is the name of the format for providers that publish none.
const Neutral = "neutral"

// dialect is one format.
type dialect struct {
	required []string // columns; lower case
	source   string   // where the format is published
	read     func(r record) (Row, error)
}

// dialects are the published formats by provider.
var dialects = map[string]dialect{"stripe": stripe, "adyen": adyen, "pawapay": pawapay}

// ErrNotPublic refuses files of a provider that publishes no format.
var ErrNotPublic = fault.InvalidParam("provider", "settlement_format_not_public",
	"Flutterwave publishes no format of the files that its dashboard exports, so that they cannot be read reliably. "+
		"Write the transactions of the settlements as CSV with the columns type (charge, refund, refund_returned, dispute, "+
		"dispute_reversed, fee), reference (chg_… or rfd_…), charge_reference, amount, currency and fee, and add "+
		"--format neutral.")

// ErrUnknownProvider refuses a provider that has no adapter.
var ErrUnknownProvider = fault.InvalidParam("provider", "settlement_provider_unknown",
	"The provider is unknown. Use stripe, adyen, pawapay or flutterwave.")

// Reader reads one file.
type Reader struct {
	in      *csv.Reader
	bound   *rowlimit.Reader
	dialect dialect
	columns map[string]int
	line    int
}

// Open reads the head of a file. format is empty for the provider's own, or Neutral. Faults:
// settlement_provider_unknown, settlement_format_not_public, settlement_format_unknown, settlement_unreadable,
// settlement_column_missing.
func Open(provider, format string, in io.Reader) (*Reader, error) {
	d, err := dialectOf(provider, format)
	if err != nil {
		return nil, err
	}
	r := &Reader{bound: rowlimit.New(in, longestRow), dialect: d, columns: map[string]int{}}
	r.in = csv.NewReader(r.bound)
	r.in.FieldsPerRecord, r.in.ReuseRecord = -1, true
	head, err := r.next()
	if err != nil {
		return nil, unreadable(err)
	}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		if _, twice := r.columns[name]; !twice {
			r.columns[name] = i
		}
	}
	for _, name := range d.required {
		if _, ok := r.columns[name]; !ok {
			return nil, fault.InvalidParam("file", "settlement_column_missing",
				"The file has no column `%s`. Export the report that %s describes, with all default columns.", name, d.source)
		}
	}
	return r, nil
}

func dialectOf(provider, format string) (dialect, error) {
	d, published := dialects[provider]
	switch {
	case !published && provider != "flutterwave":
		return d, ErrUnknownProvider
	case format == Neutral:
		return neutral, nil
	case format != "":
		return d, fault.InvalidParam("format", "settlement_format_unknown",
			"The format %.20q is unknown. Leave it out for the provider's own, or use neutral.", format)
	case !published:
		return d, ErrNotPublic
	}
	return d, nil
}

// Next returns the next row; io.EOF: there is none. A row that cannot be read says why in Problem. Fault:
// settlement_unreadable, where nothing behind it can be read.
func (r *Reader) Next() (Row, error) {
	cells, err := r.next()
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return Row{}, io.EOF
	case errors.As(err, &wrong):
		return Row{Line: wrong.StartLine, Problem: "It is not CSV: " + wrong.Err.Error() + "."}, nil
	case err != nil:
		return Row{}, unreadable(err)
	}
	at := record{cells: cells, columns: r.columns}
	row, err := r.dialect.read(at)
	row.Line = r.line
	if err != nil {
		row.Problem = problem(err)
	}
	return row, nil
}

// next reads a record of bounded length.
func (r *Reader) next() ([]string, error) {
	r.bound.Begin()
	cells, err := r.in.Read()
	switch {
	case errors.Is(err, rowlimit.ErrTooLong):
		return nil, errRowTooLong
	case err == nil:
		r.line, _ = r.in.FieldPos(0)
	}
	return cells, err
}

// problem is what people read about a row.
func problem(err error) string {
	if f := fault.From(err); f != nil {
		return f.Detail
	}
	return err.Error()
}

func unreadable(err error) error {
	if errors.Is(err, io.EOF) {
		return fault.InvalidParam("file", "settlement_unreadable", "The file is empty. Its first line must have the columns.")
	}
	return fault.InvalidParam("file", "settlement_unreadable", "The file cannot be read: %v.", err)
}

// longestRow bounds a row: a quote that is not closed would else read the whole file into memory.
const longestRow = 1 << 20

var errRowTooLong = errors.New("a row has more than a megabyte, probably because a quote is not closed")

// record is a row of cells by the names of their columns.
type record struct {
	cells   []string
	columns map[string]int
}

// text returns a cell; empty: it is empty, or there is no such column.
func (r record) text(column string) string {
	if i, ok := r.columns[column]; ok && i < len(r.cells) {
		return strings.Clone(strings.TrimSpace(r.cells[i]))
	}
	return ""
}

// currency reads an ISO 4217 code of any case.
func (r record) currency(column string) (money.Currency, error) {
	return money.ParseCurrency(strings.ToUpper(r.text(column)))
}

// amount reads an amount in major units, exactly, with its sign. An empty cell is 0. Fault: settlement_amount_invalid.
func (r record) amount(column string, c money.Currency) (money.Minor, error) {
	text := r.text(column)
	if text == "" {
		return 0, nil
	}
	wrong := fault.New(fault.Invalid, "settlement_amount_invalid",
		"The amount %.30q in `%s` is not one of %s.", text, column, c)
	exact, err := money.ParseDecimal(strings.TrimPrefix(text, "+"))
	if err != nil {
		return 0, wrong
	}
	minor, err := exact.Round(c)
	if err != nil || money.Units(minor, c).Cmp(exact) != 0 {
		return 0, wrong
	}
	return minor, nil
}

// absolute is the amount without its sign, which the kind of a row says.
func absolute(m money.Minor) money.Minor { return max(m, -m) }

// Providers returns the providers whose own format is published, sorted.
func Providers() (names []string) {
	for name := range dialects {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
