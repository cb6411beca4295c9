package catalog

import (
	"cmp"
	"slices"
	"strings"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
)

// Kind is a kind of objects that a file describes beside plans.
type Kind string

// The kinds.
const (
	ProductKind Kind = "product"
	TaxRateKind Kind = "tax_rate"
	MetricKind  Kind = "metric"
	CouponKind  Kind = "coupon"
)

// Entry says which object of an environment the key of a file describes.
type Entry struct {
	Kind Kind
	Key  string
	ID   string // of the object
}

// Item is an object with its key. Of a file, ID adopts an object that was created without it.
type Item[T any] struct {
	Key   string // empty: of no file
	ID    string
	Value T
}

// Items are the objects of a file beside its plans, by kind. A kind that is nil is not in the file, and its objects are
// left alone; an empty one has none.
type Items struct {
	Products []Item[plan.Product]
	TaxRates []Item[tax.Definition]
	Metrics  []Item[usage.Metric]    // the key is the name
	Coupons  []Item[discount.Coupon] // the key is the code; PlanIDs may be keys of plans
}

// ItemChange is the work to be done for one object.
type ItemChange[T any] struct {
	Key    string
	Was    *T // nil: it has to be created
	To     T
	Fields []string // changed fields, by their names in the API; empty: none
	Adopts bool     // the object gets the key
	Absent bool     // it is archived because the file has it no longer
}

// Differs reports whether there is anything to do.
func (c ItemChange[T]) Differs() bool { return c.Was == nil || c.Adopts || len(c.Fields) > 0 }

// Symbol returns the first character of the change's line.
func (c ItemChange[T]) Symbol() string {
	switch {
	case c.Was == nil:
		return "+"
	case c.Absent:
		return "-"
	default:
		return "~"
	}
}

// MaxItems bounds the objects of one kind in a file, as MaxPlans bounds its plans.
const MaxItems = 500

// SectionError is an error about a section of the file other than plans. The param of a fault inside begins with the
// key.
type SectionError struct {
	Section string // as the file calls it
	Err     error
}

func (e *SectionError) Error() string { return e.Section + ": " + e.Err.Error() }

// Unwrap returns the error about the section.
func (e *SectionError) Unwrap() error { return e.Err }

// Section returns the name of the section in a file that has a kind.
func (k Kind) Section() string {
	return map[Kind]string{
		ProductKind: "products", TaxRateKind: "taxRates", MetricKind: "metrics", CouponKind: "coupons",
	}[k]
}

// In returns an error about the kind's section; nil where there is none.
func (k Kind) In(err error) error {
	if err == nil {
		return nil
	}
	return &SectionError{Section: k.Section(), Err: err}
}

// rules are those of a kind.
type rules[T any] struct {
	kind    Kind
	active  func(T) bool
	retired func(T) T
	retires string // the field that retired changes
	// natural is the name by which an object without a key is the file's as well; nil: there is none.
	natural func(T) string
	// merged returns the object as the file wants it, with the changed fields. fixed is one that cannot change; empty:
	// there is none.
	merged func(was, want T) (to T, changed []string, fixed string)
}

// diff compares the objects of a file with the existing ones: all that have a key, and those that the file may adopt.
// Faults, which name the key: catalog_item_not_found, catalog_item_fixed, catalog_item_repeated.
func (r rules[T]) diff(held, want []Item[T]) ([]ItemChange[T], error) {
	if want == nil {
		return nil, nil
	}
	changes := make([]ItemChange[T], 0, len(want))
	described := map[string]bool{}
	for _, w := range want {
		was, err := r.find(held, w)
		if err != nil {
			return nil, r.kind.In(err)
		}
		c := ItemChange[T]{Key: w.Key, To: w.Value}
		if was != nil {
			if described[was.ID] {
				return nil, r.kind.In(fault.InvalidParam(w.Key+".id", "catalog_item_repeated",
					"%s is in the file already, under another key. Describe it once.", was.ID))
			}
			described[was.ID] = true
			var fixed string
			c.Was, c.Adopts = &was.Value, was.Key != w.Key
			if c.To, c.Fields, fixed = r.merged(was.Value, w.Value); fixed != "" {
				return nil, r.kind.In(fault.InvalidParam(w.Key+"."+fixed, "catalog_item_fixed",
					"`%s` never changes, because invoices and subscriptions have it. Describe a new one under another key, and archive "+
						"this one.", fixed))
			}
		}
		changes = append(changes, c)
	}
	for _, was := range held {
		if was.Key != "" && r.active(was.Value) && !described[was.ID] {
			changes = append(changes, ItemChange[T]{
				Key: was.Key, Was: &was.Value, To: r.retired(was.Value), Fields: []string{r.retires}, Absent: true,
			})
		}
	}
	return changes, nil
}

// find returns the object that the file means: the one with its id, or the one with its key, or the one with its name;
// nil: it is new.
func (r rules[T]) find(held []Item[T], w Item[T]) (*Item[T], error) {
	keyed := slices.IndexFunc(held, func(h Item[T]) bool { return h.Key == w.Key })
	i := keyed
	switch {
	case w.ID != "":
		i = slices.IndexFunc(held, func(h Item[T]) bool { return h.ID == w.ID })
		if i < 0 {
			return nil, fault.InvalidParam(w.Key+".id", "catalog_item_not_found",
				"There is no %s in this environment. Leave `id` out to create it.", w.ID)
		}
		if keyed >= 0 && keyed != i {
			return nil, fault.InvalidParam(w.Key+".id", "catalog_item_repeated",
				"The key is that of %s. Leave `id` out, or choose another key.", held[keyed].ID)
		}
	case keyed < 0 && r.natural != nil:
		i = slices.IndexFunc(held, func(h Item[T]) bool { return r.natural(h.Value) == r.natural(w.Value) })
	}
	if i < 0 {
		return nil, nil
	}
	return &held[i], nil
}

// checkArchived is CheckArchived for the objects of a kind.
func (r rules[T]) checkArchived(held []Item[T], changes []ItemChange[T]) error {
	active := 0
	var absent []string
	for _, h := range held {
		if h.Key != "" && r.active(h.Value) {
			active++
		}
	}
	for _, c := range changes {
		if c.Absent {
			absent = append(absent, c.Key)
		}
	}
	return archivesMost(r.kind.Section(), absent, active)
}

// archivesMost refuses a file that archives more than half of the active objects that have a key.
func archivesMost(section string, absent []string, active int) error {
	if 2*len(absent) <= active {
		return nil
	}
	names := strings.Join(absent[:min(len(absent), namedPlans)], ", ")
	if len(absent) > namedPlans {
		names += ", …"
	}
	return fault.New(fault.Invalid, "catalog_archives_most",
		"The file would archive %d of the %d active %s of this catalogue, because it does not describe them: %s. "+
			"Check the file and the environment. `--allow-archive` archives them.", len(absent), active, section, names)
}

// changed returns the names of fields that differ.
func changed(fields ...field) (names []string) {
	for _, f := range fields {
		if f.differs {
			names = append(names, f.name)
		}
	}
	return names
}

// fixed returns the first field that differs; empty: none does.
func fixed(fields ...field) string { return cmp.Or(changed(fields...)...) }

type field struct {
	name    string
	differs bool
}
