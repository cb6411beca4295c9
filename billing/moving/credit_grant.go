package moving

import (
	"cmp"
	"time"
	"unicode/utf8"

	"perennial/billing/balance"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/text"
)

// CreditGrant is a record of a credit grant: what is left of it.
type CreditGrant struct {
	ID        string         `json:"id"`       // external
	Customer  string         `json:"customer"` // external id, or the id of a customer here
	Currency  money.Currency `json:"currency"`
	Amount    money.Minor    `json:"amount"` // that is left
	Priority  *int           `json:"priority,omitempty"`
	Plans     []string       `json:"plans,omitempty"` // ids, keys or names of plans here; empty: any invoice
	Name      string         `json:"name,omitempty"`
	Metadata  metadata.Pairs `json:"metadata,omitempty"`
	ExpiresAt Time           `json:"expiresAt,omitzero"` // zero: never
	CreatedAt Time           `json:"createdAt,omitzero"` // zero: now
}

// maxGrantName bounds the name of a grant, in characters, as the API does.
const maxGrantName = 100

// GrantOf returns the record of a grant with something left, for the plans with some names.
func GrantOf(g balance.Grant, plans []string) CreditGrant {
	priority := g.Priority
	return CreditGrant{
		ID: g.ID, Currency: g.Currency, Amount: g.Left, Priority: &priority, Plans: plans, Name: g.Name, Metadata: g.Metadata,
		ExpiresAt: At(g.ExpiresAt), CreatedAt: At(g.GivenAt),
	}
}

// Grant returns the grant of a record, of a customer here, for plans here. Faults: currency_unknown,
// import_text_too_long, import_time_invalid, import_metadata_too_many, expires_at_past, those of balance.Grant, of text
// and of metadata.
func (r CreditGrant) Grant(id, customerID string, planIDs []string, now time.Time) (balance.Grant, error) {
	g := balance.Grant{
		ID: id, CustomerID: customerID, Currency: r.Currency, Amount: r.Amount, Left: r.Amount,
		Priority: balance.DefaultPriority, PlanIDs: planIDs, Name: r.Name, Metadata: r.Metadata,
		GivenAt: cmp.Or(r.CreatedAt.Time, now), ExpiresAt: r.ExpiresAt.Time,
	}
	if r.Priority != nil {
		g.Priority = *r.Priority
	}
	_, unknown := money.ParseCurrency(string(r.Currency))
	faults := []error{unknown, CheckPairs(r.Metadata), r.Metadata.Check(), text.Check("name", r.Name)}
	if utf8.RuneCountInString(r.Name) > maxGrantName {
		faults = append(faults, tooLong("name", maxGrantName))
	}
	for _, t := range []struct {
		field string
		Time
	}{{"createdAt", r.CreatedAt}, {"expiresAt", r.ExpiresAt}} {
		if !t.Time.Time.IsZero() && (t.Before(earliest) || !t.Before(latest)) {
			faults = append(faults, fault.InvalidParam(t.field, "import_time_invalid",
				"`%s` must be in the years 1970 to 9998.", t.field))
		}
	}
	if r.CreatedAt.After(now) {
		faults = append(faults, fault.InvalidParam("createdAt", "import_time_invalid", "`createdAt` must not be in the future."))
	}
	if !g.ExpiresAt.IsZero() && !g.ExpiresAt.After(now) {
		faults = append(faults, fault.InvalidParam("expiresAt", "expires_at_past",
			"The grant expired at %s, so that nothing can use it. Remove the record.", shown(g.ExpiresAt)))
	}
	return g, cmp.Or(fault.Joined(faults...), g.Check())
}
