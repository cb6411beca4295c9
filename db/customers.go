package db

import (
	"context"

	"perennial/billing/customer"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// CustomerFilter narrows a list; empty: any.
type CustomerFilter struct {
	Email       string
	TestClockID string
}

// Customer reads one, also an erased one. Fault: customer_not_found.
func (r Reader) Customer(ctx context.Context, environmentID, id string) (customer.Customer, error) {
	row, err := queries.CustomerGet(ctx, r.handle, dbsqlc.CustomerGetParams{EnvironmentID: environmentID, ID: id})
	return customerFromDB(row.Customer), readError("customer", err)
}

// CustomerWithKey reads key, customer and credits in one round trip.
// Faults: api_key_unknown; customer_not_found, with the key.
func (r Reader) CustomerWithKey(
	ctx context.Context, hash []byte, id string,
) (APIKey, customer.Customer, []Credit, error) {
	var row dbsqlc.CustomerGetWithKeyRow
	var balances []dbsqlc.CreditBalanceListWithKeyRow
	err := r.together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = queries.CustomerGetWithKey(ctx, h, dbsqlc.CustomerGetWithKeyParams{Hash: hash, ID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			balances, err = queries.CreditBalanceListWithKey(ctx, h,
				dbsqlc.CreditBalanceListWithKeyParams{Hash: hash, CustomerID: id})
			return err
		})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "customer", err)
		return key, customer.Customer{}, nil, err
	}
	credits := make([]Credit, 0, len(balances))
	for _, b := range balances {
		credits = append(credits, Credit(b))
	}
	return apiKeyFromDB(row.ApiKeyDetail), customerFromDB(row.Customer), credits, nil
}

// Customers lists an environment's, without the erased ones.
func (r Reader) Customers(
	ctx context.Context, environmentID string, f CustomerFilter, page Page,
) (customers []customer.Customer, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.CustomerList(ctx, r.lists(), dbsqlc.CustomerListParams{
		EnvironmentID: environmentID, Email: null(f.Email), TestClockID: null(f.TestClockID), Below: span.below,
		Above: span.above, Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("CustomerList", err)
	}
	customers, hasMore = cut(page, rows, func(row dbsqlc.CustomerListRow) customer.Customer {
		return customerFromDB(row.Customer)
	})
	return customers, hasMore, nil
}

// LockCustomer reads one that nobody else may change until the transaction ends. Fault: customer_not_found.
func (tx *Tx) LockCustomer(ctx context.Context, environmentID, id string) (customer.Customer, error) {
	row, err := queries.CustomerLock(ctx, tx.pipe, dbsqlc.CustomerLockParams{EnvironmentID: environmentID, ID: id})
	return customerFromDB(row.Customer), readError("customer", err)
}

// InsertCustomer writes one. Fault: test_clock_not_found.
func (tx *Tx) InsertCustomer(ctx context.Context, environmentID string, c customer.Customer) error {
	row := customerRow(environmentID, c)
	return rows.CustomerInsert.Exec(ctx, tx.pipe, &row)
}

// SaveCustomer writes what may change. Fault: customer_changed, when it is not of the revision read, or erased.
func (tx *Tx) SaveCustomer(ctx context.Context, environmentID string, c customer.Customer) error {
	row := customerRow(environmentID, c)
	return rows.CustomerUpdate.Exec(ctx, tx.pipe.orElse(changed("customer")), &row)
}

func customerRow(environmentID string, c customer.Customer) dbsqlc.Customer {
	return dbsqlc.Customer{
		ID: c.ID, EnvironmentID: environmentID, Email: null(c.Email), Name: null(c.Name), Phone: null(c.Phone), Country: null(c.Country),
		Region: null(c.Region), TaxExempt: null(c.TaxExempt), TaxIds: nullList(c.TaxIDs),
		Metadata: present(c.Metadata), PaymentMethod: null(c.PaymentMethod), PaymentDetails: null(c.PaymentDetails),
		TestClockID: null(c.TestClockID), ErasedAt: nullTime(c.ErasedAt),
		CreatedAt: c.CreatedAt, Revision: c.Revision,
	}
}

func customerFromDB(row dbsqlc.Customer) customer.Customer {
	return customer.Customer{
		ID: row.ID, Email: value(row.Email), Name: value(row.Name), Phone: value(row.Phone), Country: value(row.Country),
		Region: value(row.Region), TaxExempt: value(row.TaxExempt), TaxIDs: value(row.TaxIds),
		Metadata: row.Metadata, PaymentMethod: value(row.PaymentMethod), PaymentDetails: value(row.PaymentDetails),
		TestClockID: value(row.TestClockID), ErasedAt: value(row.ErasedAt),
		CreatedAt: row.CreatedAt, Revision: row.Revision,
	}
}
