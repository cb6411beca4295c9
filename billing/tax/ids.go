package tax

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"perennial/billing/country"
	"perennial/billing/fault"
	"perennial/billing/taxid"
)

// ID is a number by which a tax authority identifies a customer, such as a VAT number. It is personal data.
type ID struct {
	Type    string `json:"type"` // such as eu_vat
	Value   string `json:"value"`
	Country string `json:"country,omitzero"` // ISO 3166-1, of the authority; empty: as in the number
	// VerifiedAt is the time at which a person confirmed the number with the authority; zero: never.
	VerifiedAt time.Time `json:"verifiedAt,omitzero"`
	VerifiedBy string    `json:"verifiedBy,omitzero"` // the API key, or the person at a terminal
}

// Standing is the state of the checks of a tax id.
type Standing string

// The standings.
const (
	Verified   Standing = "verified"    // a person confirmed it
	WellFormed Standing = "well_formed" // its form and its check digits are right
	Doubtful   Standing = "doubtful"    // its check digits are wrong, but it may be right
	Unchecked  Standing = "unchecked"   // its type has no known form, or it was stored before forms were checked
)

// Standing returns the result of the checks of the id.
func (id ID) Standing() Standing {
	if !id.VerifiedAt.IsZero() {
		return Verified
	}
	switch taxid.Read(id.Type, id.Value).Verdict {
	case taxid.Right:
		return WellFormed
	case taxid.Doubtful:
		return Doubtful
	case taxid.Unknown, taxid.Mistyped, taxid.NoPrefix, taxid.NoForm:
	}
	return Unchecked
}

// Of returns the country whose authority gives the id; empty: unknown.
func (id ID) Of() string {
	return cmp.Or(taxid.Read(id.Type, id.Value).Country, id.Country)
}

// Same reports whether two ids are the same number, in any grouping.
func (id ID) Same(other ID) bool {
	return id.Type == other.Type && taxid.Compact(id.Value) == taxid.Compact(other.Value) && id.Of() == other.Of()
}

// check refuses a malformed id. Faults: tax_id_form, tax_id_check_digit, tax_id_country, those of country.Check.
func (id ID) check() error {
	if err := country.CheckNew("", id.Country); err != nil {
		return err
	}
	read, err := taxid.Check(id.Type, id.Value)
	if err == nil && read.Country != "" && id.Country != "" && id.Country != read.Country {
		return fault.InvalidParam("country", "tax_id_country",
			"The number is one of %s. Send that as `country`, or omit it.", read.Country)
	}
	return err
}

// IDs are the tax ids of one customer.
type IDs []ID

// MaxIDs bounds the tax ids of a customer.
const MaxIDs = 5

// Validate refuses too many ids, and an id without type or value: tax_ids_out_of_range, tax_id_malformed.
func (ids IDs) Validate() error {
	if len(ids) > MaxIDs {
		return fault.InvalidParam("taxIds", "tax_ids_out_of_range",
			"A customer has at most %d tax ids. The request has %d.", MaxIDs, len(ids))
	}
	for _, id := range ids {
		long := len(id.Type) > 40 || len(id.Value) > 40 || len(id.VerifiedBy) > 100 // imports send VerifiedBy
		if id.Type == "" || id.Value == "" || long {
			return fault.InvalidParam("taxIds", "tax_id_malformed",
				"A tax id must have a `type`, such as eu_vat, and a `value`, each of at most 40 characters.")
		}
	}
	return nil
}

// CheckNew refuses malformed new ids, each in its field. Ids of the former list pass: they may be older than the check,
// and a change of another field must not fail because of them. Faults: those of taxid.Check and
// country.Check, tax_id_country.
func (ids IDs) CheckNew(were IDs) error {
	var faults []error
	for i, id := range ids {
		if err := id.check(); err != nil && !slices.ContainsFunc(were, id.Same) {
			faults = append(faults, fault.From(err).Within(fmt.Sprintf("taxIds[%d]", i)))
		}
	}
	return fault.Joined(faults...)
}

// Following returns the ids with the confirmations of the former ids: the same number stays verified.
func (ids IDs) Following(were IDs) IDs {
	out := slices.Clone(ids)
	for i := range out {
		if at := slices.IndexFunc(were, out[i].Same); at >= 0 {
			out[i].VerifiedAt, out[i].VerifiedBy = were[at].VerifiedAt, were[at].VerifiedBy
		}
	}
	return out
}

// ErrIDUnknown refuses to confirm an id that the customer does not have.
var ErrIDUnknown = fault.New(fault.Conflict, "tax_id_unknown",
	"The customer has no such tax id. Send the type and the value of one as GET /customers/{id} shows them.")

// Confirm returns the ids with one confirmed by a person at a time; the zero time removes the confirmation. Fault:
// tax_id_unknown.
func (ids IDs) Confirm(kind, value string, at time.Time, by string) (IDs, error) {
	out := slices.Clone(ids)
	i := slices.IndexFunc(out, func(id ID) bool {
		return id.Type == kind && taxid.Compact(id.Value) == taxid.Compact(value)
	})
	if i < 0 {
		return nil, ErrIDUnknown
	}
	if out[i].VerifiedAt, out[i].VerifiedBy = at, by; at.IsZero() {
		out[i].VerifiedBy = ""
	}
	return out, nil
}

// Equal reports whether two lists have the same ids in the same order and spelling.
func (ids IDs) Equal(others IDs) bool {
	return slices.EqualFunc(ids, others, func(a, b ID) bool {
		at := a.VerifiedAt.Equal(b.VerifiedAt)
		a.VerifiedAt, b.VerifiedAt = time.Time{}, time.Time{}
		return at && a == b
	})
}

// businessOf reports whether one of the ids shows a business of a country: it is confirmed or well-formed.
func (ids IDs) businessOf(country string) bool {
	return slices.ContainsFunc(ids, func(id ID) bool {
		s := id.Standing()
		return id.Of() == country && (s == Verified || s == WellFormed)
	})
}
