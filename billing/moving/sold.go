package moving

import (
	"cmp"
	"time"

	"perennial/billing/country"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/text"
	"perennial/billing/usage"
)

// Product is a record of one.
type Product struct {
	ID          string         `json:"id"`                   // external
	CatalogKey  string         `json:"catalogKey,omitempty"` // in a catalogue file
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	TaxCategory tax.Category   `json:"taxCategory,omitempty"`
	Active      *bool          `json:"active,omitempty"` // nil: true
	Metadata    metadata.Pairs `json:"metadata,omitempty"`
	CreatedAt   Time           `json:"createdAt,omitzero"` // zero: now
}

// ProductOf returns the record of a product.
func ProductOf(p plan.Product, catalogKey string) Product {
	return Product{
		ID: p.ID, CatalogKey: catalogKey, Name: p.Name, Description: p.Description, TaxCategory: p.TaxCategory,
		Active: unlessTrue(p.Active), Metadata: p.Metadata, CreatedAt: At(p.CreatedAt),
	}
}

// Product returns the product of a record. Faults: those of plan.Product, of text and of metadata, import_time_invalid.
func (r Product) Product(id string, now time.Time) (plan.Product, error) {
	p := plan.Product{
		ID: id, Name: r.Name, Description: r.Description, TaxCategory: r.TaxCategory, Active: orTrue(r.Active),
		Metadata: r.Metadata, CreatedAt: cmp.Or(r.CreatedAt.Time, now),
	}
	return p, fault.Joined(p.Validate(), text.Check("name", p.Name), text.Check("description", p.Description),
		CheckPairs(p.Metadata), p.Metadata.Check(), checkCreated(r.CreatedAt, now))
}

// TaxRate is a record of one.
type TaxRate struct {
	ID          string       `json:"id"`                   // external
	CatalogKey  string       `json:"catalogKey,omitempty"` // in a catalogue file
	Name        string       `json:"name"`
	Percent     string       `json:"percent"`
	Inclusive   bool         `json:"inclusive,omitempty"`
	TaxCategory tax.Category `json:"taxCategory,omitempty"`
	Country     string       `json:"country,omitempty"`
	Region      string       `json:"region,omitempty"`
	ValidFrom   Time         `json:"validFrom,omitzero"`
	ValidUntil  Time         `json:"validUntil,omitzero"`
	Stacks      bool         `json:"stacks,omitempty"`
	ArchivedAt  Time         `json:"archivedAt,omitzero"`
	CreatedAt   Time         `json:"createdAt,omitzero"` // zero: now
}

// TaxRateOf returns the record of a tax rate.
func TaxRateOf(d tax.Definition, catalogKey string) TaxRate {
	return TaxRate{
		ID: d.ID, CatalogKey: catalogKey, Name: d.Name, Percent: d.Percent.String(), Inclusive: d.Inclusive,
		TaxCategory: d.Category, Country: d.Country, Region: d.Region, ValidFrom: At(d.ValidFrom),
		ValidUntil: At(d.ValidUntil), Stacks: d.Stacks, ArchivedAt: At(d.ArchivedAt), CreatedAt: At(d.CreatedAt),
	}
}

// Definition returns the tax rate of a record. Faults: those of tax.Definition, of country.Check and of text,
// import_time_invalid.
func (r TaxRate) Definition(id string, now time.Time) (tax.Definition, error) {
	percent, err := money.ParseDecimal(r.Percent)
	if err != nil {
		return tax.Definition{}, fault.From(err).In("percent")
	}
	d := tax.Definition{
		Rate:     tax.Rate{ID: id, Name: r.Name, Percent: percent, Inclusive: r.Inclusive},
		Category: r.TaxCategory, Country: r.Country, Region: r.Region, ValidFrom: r.ValidFrom.Time,
		ValidUntil: r.ValidUntil.Time, Stacks: r.Stacks, ArchivedAt: r.ArchivedAt.Time,
		CreatedAt: cmp.Or(r.CreatedAt.Time, now),
	}
	return d, fault.Joined(d.Validate(), country.CheckNew("", d.Country), text.Check("name", d.Name),
		checkCreated(r.CreatedAt, now))
}

// Metric is a record of one version of a metric.
type Metric struct {
	ID          string `json:"id"`                   // external, of all versions
	CatalogKey  string `json:"catalogKey,omitempty"` // in a catalogue file
	Version     int    `json:"version,omitempty"`    // 0: the first
	Name        string `json:"name"`
	DisplayName string `json:"displayName,omitempty"` // empty: the name
	Active      *bool  `json:"active,omitempty"`      // nil: true
	usage.Definition
	CreatedAt Time `json:"createdAt,omitzero"` // zero: now
}

// MetricOf returns the record of a version.
func MetricOf(m usage.Metric, catalogKey string) Metric {
	return Metric{
		ID: m.ID, CatalogKey: catalogKey, Version: m.Version, Name: m.Name, DisplayName: m.DisplayName,
		Active: unlessTrue(m.Active), Definition: m.Definition, CreatedAt: At(m.CreatedAt),
	}
}

// Metric returns the version of a record. Faults: those of usage.Metric and of text, import_time_invalid.
func (r Metric) Metric(id string, now time.Time) (usage.Metric, error) {
	m := usage.Metric{
		ID: id, Version: max(r.Version, 1), Name: r.Name, DisplayName: cmp.Or(r.DisplayName, r.Name),
		Active: orTrue(r.Active), CreatedAt: cmp.Or(r.CreatedAt.Time, now), VersionAt: now, Definition: r.Definition,
	}
	return m, fault.Joined(m.Validate(), text.Check("displayName", m.DisplayName), checkCreated(r.CreatedAt, now))
}

// SoldCoupon is a record of a coupon that can be redeemed, or could be.
type SoldCoupon struct {
	ID             string            `json:"id"`                   // external
	CatalogKey     string            `json:"catalogKey,omitempty"` // in a catalogue file
	Code           string            `json:"code"`
	Name           string            `json:"name,omitempty"` // empty: the code
	Percent        string            `json:"percent,omitempty"`
	Amount         money.Minor       `json:"amount,omitempty"`
	Currency       money.Currency    `json:"currency,omitempty"`
	Duration       discount.Duration `json:"duration"`
	Periods        int               `json:"periods,omitempty"`
	Plans          []string          `json:"plans,omitempty"` // ids, keys or names of plans; empty: any plan
	MaxRedemptions int               `json:"maxRedemptions,omitempty"`
	RedeemBy       Time              `json:"redeemBy,omitzero"`
	Active         *bool             `json:"active,omitempty"`   // nil: true
	CreatedAt      Time              `json:"createdAt,omitzero"` // zero: now
}

// SoldCouponOf returns the record of a coupon, for the plans with some names.
func SoldCouponOf(c discount.Coupon, plans []string, catalogKey string) SoldCoupon {
	r := SoldCoupon{
		ID: c.ID, CatalogKey: catalogKey, Code: c.Code, Name: c.Name, Amount: c.Amount, Currency: c.Currency,
		Duration: c.Duration, Periods: c.Periods, Plans: plans, MaxRedemptions: c.MaxRedemptions, RedeemBy: At(c.RedeemBy),
		Active: unlessTrue(c.Active), CreatedAt: At(c.CreatedAt),
	}
	if c.Percent.IsGiven() {
		r.Percent = c.Percent.String()
	}
	return r
}

// Coupon returns the coupon of a record, for plans here. Faults: those of discount.Coupon, of money.ParseCurrency and
// of text, import_time_invalid.
func (r SoldCoupon) Coupon(id string, planIDs []string, now time.Time) (discount.Coupon, error) {
	c := discount.Coupon{
		ID: id, Code: r.Code, Name: cmp.Or(r.Name, r.Code), MaxRedemptions: r.MaxRedemptions, RedeemBy: r.RedeemBy.Time,
		Active: orTrue(r.Active), CreatedAt: cmp.Or(r.CreatedAt.Time, now),
		Terms: discount.Terms{Discount: discount.Discount{Amount: r.Amount}, Currency: r.Currency, Duration: r.Duration,
			Periods: r.Periods, PlanIDs: planIDs},
	}
	var err error
	if r.Percent != "" {
		if c.Percent, err = money.ParseDecimal(r.Percent); err != nil {
			return c, fault.From(err).In("percent")
		}
	}
	return c, fault.Joined(discount.CheckCode(c.Code), c.Validate(), text.Check("name", c.Name),
		text.UnlessEmpty(string(c.Currency), func(code string) error {
			_, err := money.ParseCurrency(code)
			return err
		}), checkCreated(r.CreatedAt, now))
}

func orTrue(given *bool) bool { return given == nil || *given }

// unlessTrue returns nil for true, which is the default.
func unlessTrue(is bool) *bool {
	if is {
		return nil
	}
	return &is
}

// checkCreated refuses a creation before 1970 or in the future: import_time_invalid.
func checkCreated(at Time, now time.Time) error {
	if at.Time.IsZero() || !at.Before(earliest) && !at.After(now) {
		return nil
	}
	return fault.InvalidParam("createdAt", "import_time_invalid",
		"`createdAt` must be in 1970 or later, and not in the future.")
}
