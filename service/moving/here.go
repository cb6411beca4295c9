package moving

import (
	"context"
	"slices"
	"strings"

	"perennial/billing/customer"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/movefile"
)

// native is an object of this environment that a record of an export names by its id.
type native struct{ erased bool }

// here returns the record's object if it is of this environment: importing its export would duplicate it.
func (k *known) here(r movefile.Record) (native, bool) {
	for _, name := range idsHere(r) {
		if found, ok := k.natives[name]; ok {
			return found, true
		}
	}
	return native{}, false
}

// prefixes are those of the ids of objects here, by the type of their records.
var prefixes = map[moving.Type]string{
	moving.CustomerType: id.Customer, moving.BalanceType: id.Customer, moving.PaymentMethodType: id.PaymentMethod,
	moving.CreditGrantType: id.CreditGrant, moving.SubscriptionType: id.Subscription, moving.EndpointType: id.Endpoint,
	moving.SettingsType: id.Environment,
}

// idsHere returns the ids of a record that may be of this environment: the exported id, and an external id of this
// form.
func idsHere(r movefile.Record) (ids []string) {
	of, has := prefixes[r.Type]
	if !has { // sells finds what is sold
		return nil
	}
	if id.Is(of, r.PerennialID) {
		ids = append(ids, r.PerennialID)
	}
	if r.Type != moving.BalanceType && id.Is(of, r.ID) { // a balance's id is that of its customer
		ids = append(ids, r.ID)
	}
	return ids
}

// readNatives finds the records of the batch that were exported from this environment.
func (im *importing) readNatives(ctx context.Context, r db.Reader, batch []movefile.Record, k *known) error {
	var ids []string
	for _, record := range batch {
		if record.Refused == nil {
			ids = append(ids, idsHere(record)...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var found []string
	var err error
	switch im.of {
	case moving.SubscriptionType:
		found, err = r.Subscriptions.IDs(ctx, im.by.EnvironmentID, ids)
	case moving.PaymentMethodType:
		var owners []db.MethodOwner
		owners, err = r.Customers.MethodOwners(ctx, im.by.EnvironmentID, ids)
		for _, o := range owners {
			found = append(found, o.ID)
		}
	case moving.CreditGrantType:
		found, err = r.Customers.GrantIDs(ctx, im.by.EnvironmentID, ids)
	case moving.EndpointType:
		found, err = r.Webhooks.EndpointIDs(ctx, im.by.EnvironmentID, ids)
	case moving.SettingsType:
		found = []string{im.by.EnvironmentID}
	default:
		var customers []customer.Customer
		customers, err = r.Customers.ListByID(ctx, im.by.EnvironmentID, ids)
		for _, c := range customers {
			k.natives[c.ID] = native{erased: !c.ErasedAt.IsZero()}
		}
	}
	for _, name := range found {
		k.natives[name] = native{}
	}
	return err
}

// sells reports whether a record of the catalogue is of an export of this environment. An object may have another name
// since its import, so the contents of its first record do not decide.
func (e *importEnvironment) sells(r movefile.Record) bool {
	switch r.Type {
	case moving.ProductType:
		return id.Is(id.Product, r.PerennialID) && e.sold.products[r.PerennialID] == r.PerennialID
	case moving.TaxRateType:
		_, native := e.sold.rates[r.PerennialID]
		return native
	case moving.MetricType:
		return slices.ContainsFunc(e.sold.metrics[r.Metric.Name], func(m usage.Metric) bool {
			return m.ID == r.PerennialID && m.Version == max(r.Metric.Version, 1)
		})
	case moving.PlanType:
		_, native := e.plans[plan.Ref{ID: r.PerennialID, Version: max(r.Plan.Version, 1)}]
		return native
	case moving.CouponType:
		c := e.codes[strings.ToLower(r.Coupon.Code)]
		return c != nil && c.ID == r.PerennialID
	default: // known.here finds it
		return false
	}
}
