package tax

import (
	"cmp"
	"strings"
	"time"

	"perennial/billing/fault"
)

// Definition is a rate of an environment, with the places and times where it applies. Invoices keep the rate that they
// were issued with: only the name may change, for new invoices, and the rate may be archived.
type Definition struct {
	Rate
	// Category is the tax category of lines that it applies to, in place of the rates without one. Empty: it applies to
	// lines without a category, and to those of a category without rates.
	Category Category
	Country  string // ISO 3166-1 alpha-2; empty: everywhere
	Region   string // of the country: the part of its ISO 3166-2 code after the hyphen; empty: all of the country
	// ValidFrom and ValidUntil are the times at which it applies: [ValidFrom, ValidUntil). The zero time is no bound.
	ValidFrom  time.Time
	ValidUntil time.Time
	Stacks     bool      // it is added to another rate of the same percentage in the same place
	ArchivedAt time.Time // zero: it is active
	CreatedAt  time.Time
}

// Validate checks a new definition. The caller checks the country. Faults: tax_percent_out_of_range, tax_name_missing,
// region_needs_country, region_malformed, tax_validity_reversed, tax_category_malformed.
func (d Definition) Validate() error {
	if d.Name == "" {
		return fault.InvalidParam("name", "tax_name_missing",
			"The tax rate's name is missing. Send a name, which customers see on their invoices.")
	}
	if d.Region != "" && d.Country == "" {
		return fault.InvalidParam("region", "region_needs_country", "A `region` requires its `country`. Send both.")
	}
	if err := CheckRegion(d.Region); err != nil {
		return err
	}
	if !d.ValidUntil.IsZero() && !d.ValidFrom.Before(d.ValidUntil) {
		return fault.InvalidParam("validUntil", "tax_validity_reversed",
			"`validUntil` must be later than `validFrom`. Leave it out for a rate without end.")
	}
	return cmp.Or(d.Category.Validate(), d.Rate.Validate())
}

// Repeats reports whether both rates would tax an invoice with the same percentage in the same place at some time. In
// nearly all cases, one of two such rates was created by mistake.
func (d Definition) Repeats(other Definition) bool {
	same := d.Category == other.Category && d.Country == other.Country && d.Region == other.Region &&
		d.Percent.Cmp(other.Percent) == 0
	before := func(a, b Definition) bool { return !a.ValidUntil.IsZero() && !b.ValidFrom.Before(a.ValidUntil) }
	return same && d.ID != other.ID && d.ArchivedAt.IsZero() && other.ArchivedAt.IsZero() &&
		!before(d, other) && !before(other, d)
}

// CheckRegion accepts the part of an ISO 3166-2 code after the hyphen: one to three capital letters and digits. Fault:
// region_malformed.
func CheckRegion(region string) error {
	if len(region) > 3 || strings.Trim(region, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return fault.InvalidParam("region", "region_malformed",
			"`region` must be the part of an ISO 3166-2 code behind the hyphen, such as CA for US-CA.")
	}
	return nil
}

// Payer has the facts that decide which rates apply to a customer.
type Payer struct {
	Country   string // empty: unknown
	Region    string
	Exemption Exemption // set by hand, until SoldBy decides
	IDs       IDs
}

func (d Definition) holds(p Payer, at time.Time) bool {
	here := (d.Country == "" || d.Country == p.Country) && (d.Region == "" || d.Region == p.Region)
	now := !at.Before(d.ValidFrom) && (d.ValidUntil.IsZero() || at.Before(d.ValidUntil))
	return here && now && d.ArchivedAt.IsZero()
}
