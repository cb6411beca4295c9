package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/catalog"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
	"perennial/internal/id"
)

// FileProduct is a product in a catalogue file, under a key that plans name.
type FileProduct struct {
	// ID adopts a product that was created without the file.
	ID string `json:"id,omitempty"`
	ProductForm
	Active *bool `json:"active,omitempty"` // default: true
}

// FileTaxRate is a tax rate in a catalogue file.
type FileTaxRate struct {
	// ID adopts a tax rate that was created without the file.
	ID string `json:"id,omitempty"`
	TaxRateForm
	Archived bool `json:"archived,omitempty"`
}

// FileMetric is a metric in a catalogue file. Its key is its name.
type FileMetric struct {
	DisplayName string `json:"displayName,omitempty" maxLength:"100"` // default: the name
	view.MetricDefinition
	Active *bool `json:"active,omitempty"` // default: true
}

// FileCoupon is a coupon in a catalogue file. Its key is its code.
type FileCoupon struct {
	Name     string `json:"name,omitempty" maxLength:"100"` // default: the code
	Percent  string `json:"percent,omitempty" maxLength:"20"`
	Amount   int64  `json:"amount,omitempty" minimum:"1" maximum:"999999999999"`
	Currency string `json:"currency,omitempty" maxLength:"3"`
	Duration string `json:"duration" enum:"once,repeating,forever"`
	Periods  int    `json:"periods,omitempty" minimum:"1" maximum:"120"`
	// Plans are keys of plans in the file, or ids of plans that have no key.
	Plans          []string `json:"plans,omitempty" minItems:"1" maxItems:"20"`
	MaxRedemptions int      `json:"maxRedemptions,omitempty" minimum:"1" maximum:"1000000000"`
	RedeemBy       int64    `json:"redeemBy,omitempty" minimum:"1" maximum:"253402300799"`
	Active         *bool    `json:"active,omitempty"` // default: true
}

// sections are those that a file may have.
var sections = []string{"products", "taxRates", "metrics", "plans", "coupons"}

// items reads the sections of a file beside its plans.
func (f *File) items(shapes httpkit.Shapes, root map[string]any) (wrong []error) {
	for _, read := range []func() []error{
		func() (wrong []error) {
			f.Items.Products, wrong = section(f, shapes, root, catalog.ProductKind, productItem)
			return wrong
		},
		func() (wrong []error) {
			f.Items.TaxRates, wrong = section(f, shapes, root, catalog.TaxRateKind, taxRateItem)
			return wrong
		},
		func() (wrong []error) {
			f.Items.Metrics, wrong = section(f, shapes, root, catalog.MetricKind, metricItem)
			return wrong
		},
		func() (wrong []error) {
			f.Items.Coupons, wrong = section(f, shapes, root, catalog.CouponKind, couponItem)
			return wrong
		},
	} {
		wrong = append(wrong, read()...)
	}
	return wrong
}

// section reads the objects of a kind; nil: the file does not have the section.
func section[F, T any](
	f *File, shapes httpkit.Shapes, root map[string]any, kind catalog.Kind, item func(string, F) (catalog.Item[T], error),
) (items []catalog.Item[T], wrong []error) {
	name := kind.Section()
	value, has := root[name]
	if !has {
		return nil, nil
	}
	all, isMapping := value.(map[string]any)
	if !isMapping {
		return nil, []error{fmt.Errorf("%s:%d: %s: it must be a mapping of keys; `%s: {}` has none",
			f.name, f.doc.Line(name), name, name)}
	}
	items = []catalog.Item[T]{}
	for _, key := range f.doc.Keys(name) {
		one, faults := readItem(shapes, key, all[key], item)
		for _, fault := range faults {
			wrong = append(wrong, f.At(kind.In(fault.Within(key))))
		}
		items = append(items, one)
	}
	return items, wrong
}

func readItem[F, T any](
	shapes httpkit.Shapes, key string, value any, item func(string, F) (catalog.Item[T], error),
) (one catalog.Item[T], wrong []*fault.Error) {
	text, err := json.Marshal(quoted(value))
	if err != nil {
		return one, []*fault.Error{fault.From(err)}
	}
	form, wrong := httpkit.Decode[F](shapes, text)
	if len(wrong) > 0 {
		return one, wrong
	}
	if one, err = item(key, form); err != nil {
		return one, []*fault.Error{fault.From(err)}
	}
	return one, nil
}

func productItem(key string, f FileProduct) (catalog.Item[plan.Product], error) {
	p := plan.Product{
		Name: f.Name, Description: f.Description, TaxCategory: tax.Category(f.TaxCategory),
		Metadata: metadata.Pairs(f.Metadata), Active: offered(f.Active),
	}
	err := cmp.Or(catalog.CheckKey(key), checkAdopted(id.Product, f.ID), p.Validate(), p.Metadata.Check())
	return catalog.Item[plan.Product]{Key: key, ID: f.ID, Value: p}, err
}

func taxRateItem(key string, f FileTaxRate) (catalog.Item[tax.Definition], error) {
	d, err := f.definition()
	if f.Archived {
		d.ArchivedAt = catalog.ArchivedAtApply
	}
	if err == nil {
		err = cmp.Or(catalog.CheckKey(key), checkAdopted(id.TaxRate, f.ID), d.Validate())
	}
	return catalog.Item[tax.Definition]{Key: key, ID: f.ID, Value: d}, err
}

func metricItem(key string, f FileMetric) (catalog.Item[usage.Metric], error) {
	definition, err := f.Definition()
	m := usage.Metric{
		Version: 1, Name: key, DisplayName: cmp.Or(f.DisplayName, key), Active: offered(f.Active), Definition: definition,
	}
	return catalog.Item[usage.Metric]{Key: key, Value: m}, cmp.Or(err, m.Validate())
}

func couponItem(key string, f FileCoupon) (catalog.Item[discount.Coupon], error) {
	c, err := CouponForm{
		Code: key, Name: cmp.Or(f.Name, key), Percent: f.Percent, Amount: f.Amount, Currency: f.Currency,
		Duration: f.Duration, Periods: f.Periods, PlanIDs: f.Plans, MaxRedemptions: f.MaxRedemptions, RedeemBy: f.RedeemBy,
	}.coupon()
	c.Active = offered(f.Active)
	return catalog.Item[discount.Coupon]{Key: key, Value: c}, cmp.Or(err, discount.CheckCode(key), c.Validate())
}

func offered(active *bool) bool { return active == nil || *active }

// checkAdopted refuses an id of another kind: catalog_item_not_found.
func checkAdopted(of, adopted string) error {
	if adopted == "" || id.Is(of, adopted) {
		return nil
	}
	return fault.InvalidParam("id", "catalog_item_not_found",
		"%q is not the id of an object of this section. Leave `id` out to create it.", adopted)
}

// itemForms are the sections of a file that is written.
type itemForms struct {
	products   ordered[FileProduct]
	taxRates   ordered[FileTaxRate]
	metrics    ordered[FileMetric]
	coupons    ordered[FileCoupon]
	productKey map[string]string // by id
}

// formsOf returns items as a file describes them. planKeys has the keys of the file's plans, by their ids.
func formsOf(items catalog.Items, planKeys map[string]string, withIDs bool) itemForms {
	out := itemForms{productKey: map[string]string{}}
	taken := keysOf(items.Products)
	for _, i := range items.Products {
		form := FileProduct{ProductForm: ProductForm{
			Name: i.Value.Name, Description: i.Value.Description, TaxCategory: string(i.Value.TaxCategory),
			Metadata: view.Metadata(i.Value.Metadata),
		}, Active: unlessTrue(i.Value.Active)}
		key := i.Key
		if key == "" {
			key = freeKey("product", i.Value.Name, taken)
			if withIDs {
				form.ID = i.ID
			}
		}
		out.productKey[i.ID] = key
		out.products = append(out.products, keyed[FileProduct]{key, form})
	}
	taken = keysOf(items.TaxRates)
	for _, i := range items.TaxRates {
		form := rateForm(i.Value)
		key := i.Key
		if key == "" {
			key = freeKey("rate", i.Value.Name+" "+i.Value.Country+" "+i.Value.Region, taken)
			if withIDs {
				form.ID = i.ID
			}
		}
		out.taxRates = append(out.taxRates, keyed[FileTaxRate]{key, form})
	}
	for _, i := range items.Metrics {
		form := FileMetric{MetricDefinition: view.RenderMetricDefinition(i.Value.Definition),
			Active: unlessTrue(i.Value.Active)}
		if i.Value.DisplayName != i.Value.Name {
			form.DisplayName = i.Value.DisplayName
		}
		out.metrics = append(out.metrics, keyed[FileMetric]{i.Value.Name, form})
	}
	for _, i := range items.Coupons {
		out.coupons = append(out.coupons, keyed[FileCoupon]{i.Value.Code, couponForm(i.Value, planKeys)})
	}
	return out
}

func rateForm(d tax.Definition) FileTaxRate {
	return FileTaxRate{TaxRateForm: TaxRateForm{
		Name: d.Name, Percent: d.Percent.String(), Inclusive: d.Inclusive, TaxCategory: string(d.Category),
		Country: d.Country, Region: d.Region, ValidFrom: view.Unix(d.ValidFrom), ValidUntil: view.Unix(d.ValidUntil),
		Stacks: d.Stacks,
	}, Archived: !d.ArchivedAt.IsZero()}
}

func couponForm(c discount.Coupon, planKeys map[string]string) FileCoupon {
	form := FileCoupon{
		Percent: view.PercentOf(c.Discount), Amount: int64(c.Amount), Currency: string(c.Currency),
		Duration: string(c.Duration), Periods: c.Periods, MaxRedemptions: c.MaxRedemptions, RedeemBy: view.Unix(c.RedeemBy),
		Active: unlessTrue(c.Active),
	}
	if c.Name != c.Code {
		form.Name = c.Name
	}
	for _, planID := range c.PlanIDs {
		form.Plans = append(form.Plans, cmp.Or(planKeys[planID], planID))
	}
	slices.Sort(form.Plans)
	return form
}

func keysOf[T any](items []catalog.Item[T]) map[string]bool {
	taken := map[string]bool{}
	for _, i := range items {
		taken[i.Key] = true
	}
	return taken
}

// unlessTrue returns nil for true, which is the default.
func unlessTrue(active bool) *bool {
	if active {
		return nil
	}
	return &active
}
