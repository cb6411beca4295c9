package moving

import (
	"context"
	"strings"

	"perennial/billing/customer"
	"perennial/billing/moving"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/movefile"
	"perennial/service/usecase"
)

// readParts reads what payment methods, grants and subscriptions of a batch depend on besides their customers.
func (im *importing) readParts(ctx context.Context, r db.Reader, batch []movefile.Record, k *known) error {
	var customerIDs []string
	for _, c := range k.customers {
		customerIDs = append(customerIDs, c.ID)
	}
	switch im.of {
	case moving.PaymentMethodType:
		tallies, err := r.Customers.MethodTallies(ctx, im.by.EnvironmentID, customerIDs)
		for _, t := range tallies {
			k.tally[t.CustomerID] = t.Methods
		}
		im.addDry(k)
		return err
	case moving.CreditGrantType:
		tallies, err := r.Customers.GrantTallies(ctx, im.by.EnvironmentID, customerIDs)
		for _, t := range tallies {
			k.tally[tallyOf(t.CustomerID, t.Currency)] = t.Grants
		}
		im.addDry(k)
		return err
	case moving.CouponType:
		return im.readCoupons(ctx, r, batch)
	case moving.SubscriptionType:
		if err := im.readCoupons(ctx, r, batch); err != nil {
			return err
		}
		return im.readMethods(ctx, r, batch, k)
	default:
		return nil
	}
}

// addDry adds what a dry run has not written.
func (im *importing) addDry(k *known) {
	for key, n := range im.dry.tally {
		k.tally[key] += n
	}
}

// readCoupons reads the coupons that records are of or name, each code once.
func (im *importing) readCoupons(ctx context.Context, r db.Reader, batch []movefile.Record) error {
	for _, record := range batch {
		for _, code := range codesOf(record) {
			if _, read := im.env.codes[code]; read {
				continue
			}
			c, err := r.Catalog.CouponByCode(ctx, im.by.EnvironmentID, code)
			switch {
			case err == nil:
				im.env.codes[code] = &c
			case usecase.Absent(err):
				im.env.codes[code] = nil
			default:
				return err
			}
		}
	}
	return nil
}

// codesOf returns the codes of the coupons that a record is of or names, in lower case.
func codesOf(record movefile.Record) (codes []string) {
	switch {
	case record.Coupon != nil:
		codes = append(codes, strings.ToLower(record.Coupon.Code))
	case record.Subscription != nil:
		for _, one := range record.Subscription.Coupons {
			codes = append(codes, strings.ToLower(one.Code))
		}
	}
	return codes
}

// readMethods finds the payment methods that subscriptions name, by external id or by their id here.
func (im *importing) readMethods(ctx context.Context, r db.Reader, batch []movefile.Record, k *known) error {
	var references, ids []string
	for _, record := range batch {
		if record.Subscription == nil || record.Subscription.PaymentMethod == "" {
			continue
		}
		references = append(references, record.Subscription.PaymentMethod)
		if id.Is(id.PaymentMethod, record.Subscription.PaymentMethod) {
			ids = append(ids, record.Subscription.PaymentMethod)
		}
	}
	if len(references) == 0 {
		return nil
	}
	records, err := r.Moving.ImportedRecords(ctx, im.by.EnvironmentID, im.Source, moving.PaymentMethodType, references)
	if err != nil {
		return err
	}
	owners, err := r.Customers.MethodOwners(ctx, im.by.EnvironmentID, ids)
	for _, o := range owners {
		k.methods[o.ID] = o
	}
	for _, found := range records {
		k.methods[found.ExternalID] = db.MethodOwner{ID: found.ObjectID, CustomerID: found.CustomerID}
	}
	for _, reference := range references {
		if found, ok := im.dry.records[moving.PaymentMethodType][reference]; ok {
			k.methods[reference] = db.MethodOwner{ID: found.ObjectID, CustomerID: found.CustomerID}
		}
	}
	return err
}

// method returns the id of the payment method that a subscription names; empty: none is named, or its customer is not
// known. Fault: import_payment_method_unknown.
func (k *known) method(reference string, of customer.Customer) (string, error) {
	if reference == "" || of.ID == "" {
		return "", nil
	}
	found, ok := k.methods[reference]
	if !ok || found.CustomerID != of.ID {
		return "", moving.ErrMethodUnknown
	}
	return found.ID, nil
}
