package movefile

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perennial/billing/fault"
	"perennial/billing/moving"
	"perennial/billing/postal"
	"perennial/internal/rowlimit"
	"perennial/internal/spelling"
)

// eachRow reads CSV of wanted types: each row becomes the object that a line of JSON would have, so that both are read
// by one code.
func (f File) eachRow(in io.Reader, wants func(moving.Type) bool, emit func(Record, int) error) error {
	rows := newRows(in)
	header, err := rows.next()
	if err != nil {
		return unreadable(f.Path, err)
	}
	t, err := newTable(slices.Clone(header), f.of)
	if err != nil {
		return err
	}
	// A row that cannot be read has no type. Where that is wanted, each row is read.
	unwanted := t.of != "" && !wants(t.of) && !wants("")
	for {
		row, err := rows.next()
		var wrong *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &wrong):
			err = emit(Record{Refused: misread(wrong)}, wrong.StartLine)
		case errors.Is(err, rowlimit.ErrTooLong): // where the next row would begin is unknown
			return emit(Record{Refused: malformed("The row that begins here has more than %d bytes, probably because a quote is "+
				"not closed. Nothing behind it was read.", maxLine)}, rows.line)
		case err != nil:
			return unreadable(f.Path, err)
		case unwanted:
		default:
			err = emit(t.record(row), rows.line)
		}
		if err != nil {
			return err
		}
	}
}

// table has the columns of a CSV file.
type table struct {
	header []string
	of     moving.Type // of the file; empty: the column `type` says it
}

// nested are the columns that have a name of their own behind a dot: metadata.plan.
const (
	metadataColumn = "metadata."
	addressColumn  = "address."
	detailsColumn  = "paymentDetails."
	taxIDColumn    = "taxIds."
)

// newTable checks the columns of a file. Faults: import_csv_type_missing, import_csv_column_unknown,
// import_csv_column_twice.
func newTable(header []string, of moving.Type) (table, error) {
	t := table{header: header, of: of}
	if slices.Contains(header, "type") {
		t.of = ""
	} else if of == "" {
		return t, fault.New(fault.Invalid, "import_csv_type_missing",
			"The file does not say what its records are. Name it customers.csv, balances.csv or subscriptions.csv, or add a "+
				"column `type`.")
	}
	known := columns(t.of)
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return t, fault.InvalidParam(name, "import_csv_column_twice",
				"The file has the column %.60q more than once. Remove all but one.", name)
		}
		if !slices.Contains(known, name) && !freeColumn(name) {
			return t, fault.InvalidParam(name, "import_csv_column_unknown",
				"The column %.60q is not one of: %s.%s Rename or remove it, or name it metadata.%.40s.",
				name, strings.Join(known, ", "), meant(name, known), name)
		}
	}
	return t, nil
}

// meant suggests a column.
func meant(name string, known []string) string {
	for _, k := range known {
		if spelling.Distance(name, k) < 3 {
			return " Did you mean " + k + "?"
		}
	}
	return ""
}

func freeColumn(name string) bool {
	for _, prefix := range []string{metadataColumn, taxIDColumn} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && utf8.ValidString(rest) {
			return true
		}
	}
	return false
}

// formOf is the form of a type; nil: all three.
func formsOf(of moving.Type) []reflect.Type {
	all := map[moving.Type]reflect.Type{
		moving.CustomerType: reflect.TypeFor[customerForm](), moving.BalanceType: reflect.TypeFor[balanceForm](),
		moving.SubscriptionType: reflect.TypeFor[subscriptionForm](),
	}
	if form, ok := all[of]; ok {
		return []reflect.Type{form}
	}
	return []reflect.Type{all[moving.CustomerType], all[moving.BalanceType], all[moving.SubscriptionType]}
}

// columns returns the names that a file of a type may have, without metadata and tax ids.
func columns(of moving.Type) (names []string) {
	for _, form := range formsOf(of) {
		for _, field := range fieldsOf(form) {
			switch name := nameOf(field); name {
			case "metadata", "taxIds", "addOns", "pendingAddOns", "usageThresholds": // a cell has no list
			case "address":
				names = append(names, inner(addressColumn, reflect.TypeFor[postal.Address]())...)
			case "paymentDetails":
				names = append(names, inner(detailsColumn, reflect.TypeFor[moving.PaymentDetails]())...)
			default:
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// inner are the columns of an object, behind its name and a dot.
func inner(prefix string, of reflect.Type) (names []string) {
	for _, field := range fieldsOf(of) {
		names = append(names, prefix+nameOf(field))
	}
	return names
}

// numeric and boolean are the columns that are not texts. Times are read from texts too.
var (
	numeric = []string{"quantity", "planVersion", "pendingQuantity", "pendingPlanVersion", "netDays", "amount"}
	boolean = []string{"cancelAtPeriodEnd"}
)

// record reads a row. An empty cell leaves its field out.
func (t table) record(row []string) Record {
	object := map[string]any{}
	if t.of != "" {
		object["type"] = t.of
	}
	within := func(name, key, value string) {
		of, _ := object[name].(map[string]any)
		if of == nil {
			of = map[string]any{}
			object[name] = of
		}
		of[key] = value
	}
	var taxIDs []any
	for i, cell := range row {
		name := t.header[i]
		if !utf8.ValidString(cell) { // it would be replaced in silence
			return Record{Refused: malformed("The column %.60s is not UTF-8. Save the file as UTF-8.", name)}
		}
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		if key, ok := strings.CutPrefix(name, metadataColumn); ok {
			within("metadata", key, cell)
		} else if key, ok := strings.CutPrefix(name, addressColumn); ok {
			within("address", key, cell)
		} else if key, ok := strings.CutPrefix(name, detailsColumn); ok {
			within("paymentDetails", key, cell)
		} else if key, ok := strings.CutPrefix(name, taxIDColumn); ok {
			taxIDs = append(taxIDs, map[string]any{"type": key, "value": cell})
		} else {
			object[name] = valueOf(name, cell)
		}
	}
	if taxIDs != nil {
		object["taxIds"] = taxIDs
	}
	line, err := json.Marshal(object)
	if err != nil {
		return Record{Refused: malformed("It contains a character that is not text.")}
	}
	return parse(line)
}

// valueOf returns the meaning of a cell in its column. A text that is no number stays a text, and is refused where it
// is read.
func valueOf(name, cell string) any {
	if slices.Contains(numeric, name) {
		if n, err := strconv.ParseInt(cell, 10, 64); err == nil {
			return n
		}
	}
	if slices.Contains(boolean, name) {
		if yes, err := strconv.ParseBool(strings.ToLower(cell)); err == nil {
			return yes
		}
	}
	return cell
}
