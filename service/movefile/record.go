package movefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perennial/billing/fault"
	"perennial/billing/moving"
	"perennial/billing/subscription"
)

// Record is one line of a file: one of the records of its types, or a refusal, or nothing to import.
type Record struct {
	File string
	Line int // counts from 1
	Type moving.Type
	ID   string // external
	// PerennialID is the id in the exporting environment: of the object; for a balance, of its customer; for settings, of
	// the environment. Empty: the record is not of an export.
	PerennialID string
	// Hash is the hash of the contents, whatever their form: two records with the same contents have the same.
	Hash [sha256.Size]byte

	Settings      *moving.Settings
	Product       *moving.Product
	TaxRate       *moving.TaxRate
	Metric        *moving.Metric
	Plan          *moving.Plan
	Coupon        *moving.SoldCoupon
	Customer      *moving.Customer
	PaymentMethod *moving.PaymentMethod
	Balance       *moving.Balance
	CreditGrant   *moving.CreditGrant
	Subscription  *moving.Subscription
	Endpoint      *moving.Endpoint

	Refused error  // the fault of the line
	LeftOut string // why there is nothing to import; empty: there is
}

// parse reads a record. file and line are left to the caller.
func parse(line []byte) Record {
	r, _ := parseWanted(line, func(moving.Type) bool { return true })
	return r
}

// parseWanted is parse for records of a wanted type; of others it reads the type alone, and ok is false.
func parseWanted(line []byte, wants func(moving.Type) bool) (r Record, ok bool) {
	if isBroken(line) {
		return Record{Refused: malformed("It contains a character that is not text.")}, wants("")
	}
	var head struct {
		Type moving.Type `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return Record{Refused: malformed("It is no JSON object with a `type`.")}, wants("")
	}
	r.Type = head.Type
	if !wants(r.Type) {
		return r, false
	}
	r.read(line)
	return r, true
}

// read reads the fields of a record, whose type is known.
func (r *Record) read(line []byte) {
	switch r.Type {
	case moving.CustomerType:
		f := fill[customerForm](r, line)
		c := f.record()
		r.ID, r.Customer = f.ID, &c
	case moving.SubscriptionType:
		f := fill[subscriptionForm](r, line)
		r.ID, r.Subscription = f.ID, &f.Subscription
		if f.Status == subscription.Canceled {
			r.LeftOut = "canceled"
		}
	case moving.BalanceType:
		f := fill[balanceForm](r, line)
		r.ID, r.Balance = f.Balance.ID(), &f.Balance
	case moving.PaymentMethodType:
		f := fill[paymentMethodForm](r, line)
		r.ID, r.PaymentMethod = f.ID, &f.PaymentMethod
	case moving.CreditGrantType:
		f := fill[creditGrantForm](r, line)
		r.ID, r.CreditGrant = f.ID, &f.CreditGrant
	case moving.SettingsType:
		f := fill[settingsForm](r, line)
		r.ID, r.Settings = moving.SettingsID, &f.Settings
	case moving.EndpointType:
		f := fill[endpointForm](r, line)
		r.ID, r.Endpoint = f.ID, &f.Endpoint
	case moving.ProductType:
		f := fill[productForm](r, line)
		r.ID, r.Product = f.ID, &f.Product
	case moving.TaxRateType:
		f := fill[taxRateForm](r, line)
		r.ID, r.TaxRate = f.ID, &f.TaxRate
	case moving.MetricType:
		f := fill[metricForm](r, line)
		r.ID, r.Metric = versionID(f.ID, f.Version), &f.Metric
	case moving.PlanType:
		f := fill[planForm](r, line)
		r.ID, r.Plan = versionID(f.ID, f.Version), &f.Plan
	case moving.CouponType:
		f := fill[couponForm](r, line)
		r.ID, r.Coupon = f.ID, &f.SoldCoupon
	default:
		if slices.Contains(moving.History(), r.Type) {
			r.LeftOut = "not imported"
			return
		}
		r.Refused = fault.InvalidParam("type", "import_type_unknown",
			"`type` cannot be %.40q. Send one of: %s.", string(r.Type), names(moving.Imported()))
	}
}

// fill reads a line into a form, and notes what a record of any type has.
func fill[F any, P interface {
	*F
	take() string
}](r *Record, line []byte) F {
	f, err := decode[F](line)
	r.Refused, r.PerennialID = err, P(&f).take()
	r.Hash = hash(f)
	return f
}

// versionID returns the external id of a version: the object's, with the version after a dot for all but the first.
func versionID(id string, version int) string {
	if id == "" || version <= 1 {
		return id
	}
	return id + "." + strconv.Itoa(version)
}

func names(types []moving.Type) string {
	texts := make([]string, len(types))
	for i, t := range types {
		texts[i] = "`" + string(t) + "`"
	}
	return strings.Join(texts, ", ")
}

// decode reads a line into a form. A field that the form does not have is refused: it would be lost in silence.
func decode[F any](line []byte) (f F, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, errors.Join(undecodable[F](line, err)...)
	}
	if d.More() {
		return f, malformed("It has more than one JSON value.")
	}
	return f, nil
}

// isBroken reports whether a line has characters that are no text: they could not be stored, or they are lost where
// decoding leaves U+FFFD, as for half a surrogate pair.
func isBroken(line []byte) bool {
	if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
		return true
	}
	if !bytes.Contains(line, []byte(`\u`)) && !bytes.ContainsRune(line, utf8.RuneError) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(line))
	for {
		token, err := d.Token()
		if err != nil { // other syntax errors are refused by the decoder
			return false
		}
		if text, ok := token.(string); ok && strings.ContainsAny(text, "\x00\uFFFD") {
			return true
		}
	}
}

// undecodable returns the faults of the fields of a line that does not decode into a form; first is the decoder's first
// error. There is at least one fault.
func undecodable[F any](line []byte, first error) (faults []error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil {
		return []error{wrongField("", first)}
	}
	form := fieldsOf(reflect.TypeFor[F]())
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		at := slices.IndexFunc(form, func(f reflect.StructField) bool { return strings.EqualFold(nameOf(f), name) })
		if at < 0 {
			faults = append(faults, unknownField(name))
			continue
		}
		d := json.NewDecoder(bytes.NewReader(fields[name]))
		d.DisallowUnknownFields()
		if err := d.Decode(reflect.New(form[at].Type).Interface()); err != nil {
			faults = append(faults, wrongField(name, err))
		}
	}
	if len(faults) == 0 {
		faults = append(faults, wrongField("", first))
	}
	return faults
}

// fieldsOf returns the fields of a form, with those of the record in it.
func fieldsOf(form reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(form), func(f reflect.StructField) bool { return f.Anonymous })
}

// nameOf returns the name of a field in JSON.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func unknownField(name string) error {
	return fault.InvalidParam(name, "import_field_unknown",
		"`%.60s` is not a field of this record. Remove it, or put it into `metadata`.", name)
}

// wrongField returns the fault of a field, or of one within it.
func wrongField(within string, err error) error {
	if name, ok := strings.CutPrefix(err.Error(), `json: unknown field "`); ok {
		return unknownField(inside(within, strings.TrimSuffix(name, `"`)))
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		field := inside(within, wrong.Field)
		return fault.InvalidParam(field, "import_field_invalid", "`%.60s` must be %s.", field, wanted(wrong.Type))
	}
	return malformed("It is no JSON object of this type.")
}

func inside(within, name string) string { return strings.Trim(within+"."+name, ".") }

// wanted describes the valid values of a type.
func wanted(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[moving.Time]():
		return "Unix seconds, or a time such as 2026-11-30T09:00:00Z"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return "a whole number"
	case t.Kind() == reflect.String:
		return "a text"
	case t.Kind() == reflect.Slice:
		return "a list"
	}
	return "an object"
}

func malformed(why string, args ...any) error {
	return fault.New(fault.Invalid, "import_line_malformed", "The line cannot be read. "+why, args...)
}

// hash returns the hash of a form's contents, with the fields in the order of the form and the keys of metadata sorted.
func hash[F any](f F) [sha256.Size]byte {
	canonical, err := json.Marshal(f)
	if err != nil { // metadata of a record that is refused
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(canonical)
}
