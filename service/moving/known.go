package moving

import (
	"cmp"
	"context"

	"perennial/billing/customer"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/movefile"
)

// known has the existing objects of a batch's records.
type known struct {
	records   map[string]db.ImportedRecord // of the batch's type, by external id
	customers map[string]customer.Customer // by the references of the records
	natives   map[string]native            // by the ids in an export of this environment
	methods   map[string]db.MethodOwner    // of customers, by the references of subscriptions
	tally     map[string]int               // payment methods by customer, and grants by tallyOf
}

// tallyOf is the key of a customer's grants in a currency.
func tallyOf(customerID string, c money.Currency) string { return customerID + "/" + string(c) }

// readCustomers reads customers by their ids; one implementation locks them.
type readCustomers func(ctx context.Context, environmentID string, ids []string) ([]customer.Customer, error)

// known reads the objects that a batch names, in at most three round trips, and one more for records of an export.
func (im *importing) known(
	ctx context.Context, r db.Reader, read readCustomers, batch []movefile.Record,
) (*known, error) {
	k := &known{
		records: map[string]db.ImportedRecord{}, customers: map[string]customer.Customer{}, natives: map[string]native{},
		methods: map[string]db.MethodOwner{}, tally: map[string]int{},
	}
	var ids, references []string
	for _, record := range batch {
		if record.Type != im.of || record.Refused != nil {
			continue
		}
		ids = append(ids, record.ID)
		if to := reference(record); to != "" {
			references = append(references, to)
		}
	}
	records, err := r.Moving.ImportedRecords(ctx, im.by.EnvironmentID, im.Source, im.of, ids)
	if err != nil {
		return nil, err
	}
	for _, found := range records {
		k.records[found.ExternalID] = found
	}
	if im.DryRun {
		im.dry.addKnown(k, im.of, ids, references)
	}
	if err := im.readNatives(ctx, r, batch, k); err != nil {
		return nil, err
	}
	if err := im.readCustomers(ctx, r, read, references, k); err != nil {
		return nil, err
	}
	return k, im.readParts(ctx, r, batch, k)
}

// readCustomers finds the customers that the records refer to, by external id or by their id here.
func (im *importing) readCustomers(
	ctx context.Context, r db.Reader, read readCustomers, references []string, k *known,
) error {
	if len(references) == 0 {
		return nil
	}
	records, err := r.Moving.ImportedRecords(ctx, im.by.EnvironmentID, im.Source, moving.CustomerType, references)
	if err != nil {
		return err
	}
	called := map[string][]string{} // by id: the references of the records
	var ids []string
	call := func(customerID, reference string) {
		ids, called[customerID] = append(ids, customerID), append(called[customerID], reference)
	}
	for _, found := range records {
		call(found.ObjectID, found.ExternalID)
	}
	for _, reference := range references {
		if id.Is(id.Customer, reference) {
			call(reference, reference)
		}
	}
	customers, err := read(ctx, im.by.EnvironmentID, ids)
	for _, c := range customers {
		for _, reference := range called[c.ID] {
			k.customers[reference] = c
		}
	}
	return err
}

// reference returns a record's reference to its customer; empty: it has none.
func reference(r movefile.Record) string {
	switch {
	case r.Balance != nil:
		return r.Balance.Customer
	case r.PaymentMethod != nil:
		return r.PaymentMethod.Customer
	case r.CreditGrant != nil:
		return r.CreditGrant.Customer
	case r.Subscription != nil:
		return r.Subscription.Customer
	}
	return ""
}

// add makes a new record known to later ones.
func (k *known) add(a arrival) {
	k.records[a.record.ID] = a.known()
	switch {
	case a.record.PaymentMethod != nil && !a.record.PaymentMethod.Default:
		k.tally[a.customer.ID]++
	case a.record.CreditGrant != nil:
		k.tally[tallyOf(a.customer.ID, a.grant.Currency)]++
	}
}

// known returns the record for storage.
func (a arrival) known() db.ImportedRecord {
	r := db.ImportedRecord{
		ExternalID: a.record.ID, ObjectID: a.customer.ID, CustomerID: a.customer.ID, Hash: a.record.Hash[:],
	}
	switch a.record.Type {
	case moving.SubscriptionType:
		r.ObjectID = a.subscription.ID
	case moving.PaymentMethodType:
		r.ObjectID = a.method.ID
	case moving.CreditGrantType:
		r.ObjectID = a.grant.ID
	case moving.EndpointType:
		r.ObjectID = a.endpointID
	case moving.SettingsType:
		r.ObjectID = moving.SettingsID
	default:
		r.ObjectID = cmp.Or(a.soldID(), r.ObjectID)
	}
	return r
}
