package moving

import (
	"context"
	"time"

	"perennial/billing/customer"
	"perennial/billing/foresight"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/postal"
	"perennial/db"
)

// NextBill is the first invoice of a subscription in a dry run.
type NextBill struct {
	At       time.Time
	Currency money.Currency
	Total    money.Minor // with taxes
	Due      money.Minor // Total less the customer's balance
	// Uncollectable is why Due cannot be collected; empty: it can.
	Uncollectable string
}

// dryRun keeps the objects that a dry run did not write, since later records refer to them. It grows with the files: by
// a customer without the personal data, and by the hash of each record.
type dryRun struct {
	records   map[moving.Type]map[string]db.ImportedRecord
	customers map[string]customer.Customer // by external id
	balances  map[balanceKey]money.Minor   // of customers, after the foreseen invoices
	tally     map[string]int               // as known.tally, of what was not written
}

type balanceKey struct {
	customerID string
	currency   money.Currency
}

func newDryRun() *dryRun {
	d := &dryRun{
		records: map[moving.Type]map[string]db.ImportedRecord{}, customers: map[string]customer.Customer{},
		balances: map[balanceKey]money.Minor{}, tally: map[string]int{},
	}
	for _, t := range moving.Imported() {
		d.records[t] = map[string]db.ImportedRecord{}
	}
	return d
}

// addKnown adds the objects that earlier batches would have written.
func (d *dryRun) addKnown(k *known, of moving.Type, ids, references []string) {
	for _, id := range ids {
		if r, ok := d.records[of][id]; ok {
			k.records[id] = r
		}
	}
	for _, reference := range references {
		if c, ok := d.customers[reference]; ok {
			k.customers[reference] = c
		}
	}
}

// readBalances reads the balances of existing customers, each once.
func (d *dryRun) readBalances(ctx context.Context, r db.Reader, environmentID string, k *known) error {
	var ids []string
	for _, c := range k.customers {
		ids = append(ids, c.ID)
	}
	credits, err := r.Customers.Credits(ctx, environmentID, ids)
	for _, credit := range credits {
		key := balanceKey{credit.CustomerID, credit.Currency}
		if _, read := d.balances[key]; !read {
			d.balances[key] = credit.Balance
		}
	}
	return err
}

// arrive keeps a record, and foresees the next invoice of a subscription by the rules of billing.
func (d *dryRun) arrive(e *importEnvironment, a arrival, now time.Time) (*NextBill, error) {
	d.records[a.record.Type][a.record.ID] = a.known()
	switch a.record.Type {
	case moving.CustomerType:
		c := a.customer
		c.TaxExempt = c.TaxPayer().SoldBy(e.settings.Seller.Country).Exemption // its tax ids decide it too
		c.Email, c.Name, c.Phone, c.Address, c.TaxIDs, c.Metadata = "", "", "", postal.Address{}, nil, nil
		d.customers[a.record.ID] = c
	case moving.BalanceType:
		d.balances[balanceKey{a.customer.ID, a.record.Balance.Currency}] += a.record.Balance.Amount
	case moving.PaymentMethodType:
		if !a.record.PaymentMethod.Default {
			d.tally[a.customer.ID]++
		}
	case moving.CreditGrantType:
		d.tally[tallyOf(a.customer.ID, a.grant.Currency)]++
	case moving.SubscriptionType:
		return d.foresee(e, a, now)
	default: // no later record depends on it
	}
	return nil, nil
}

// foresee returns the next invoice. Later subscriptions of the customer use the rest of the balance.
func (d *dryRun) foresee(e *importEnvironment, a arrival, now time.Time) (*NextBill, error) {
	key := balanceKey{a.customer.ID, a.plan.Currency}
	shown, err := foresight.Preview(e.state(a, d.balances[key]), nil, 1, nil, db.Moment(now, now))
	if err != nil {
		return nil, err
	}
	if len(shown.Issued) > 0 {
		return nil, wouldBill(a)
	}
	if len(shown.Upcoming) == 0 {
		return nil, nil
	}
	next := shown.Upcoming[0]
	if used := next.Total - next.AmountDue; used != 0 {
		d.balances[key] -= used
	}
	bill := &NextBill{At: next.IssuedAt, Currency: next.Currency, Total: next.Total, Due: next.AmountDue}
	if bill.Due > 0 {
		bill.Uncollectable, err = e.uncollectable(a.customer)
	}
	return bill, err
}
