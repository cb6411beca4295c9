package customers

import (
	"context"

	"perennial/billing/customer"
	"perennial/billing/lifecycle"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// CustomerFilter narrows a list; empty: any.
type CustomerFilter struct {
	Email        string
	TestClockID  string
	OverdueState string
	NeedsPerson  bool // only customers in a state that needs a person
}

// Get reads a customer, also an erased one. Fault: customer_not_found.
func (r Reader) Get(ctx context.Context, environmentID, id string) (customer.Customer, error) {
	row, err := core.Queries.CustomerGet(ctx, r.Handle, dbsqlc.CustomerGetParams{EnvironmentID: environmentID, ID: id})
	return CustomerFromDB(row.Customer), core.ReadError("customer", err)
}

// GetWithKey reads key, customer and credits in one round trip. Faults: api_key_unknown; customer_not_found, with the
// key.
func (r Reader) GetWithKey(
	ctx context.Context, hash []byte, id string,
) (core.APIKey, customer.Customer, []Credit, error) {
	var row dbsqlc.CustomerGetWithKeyRow
	var balances []dbsqlc.CreditBalanceListWithKeyRow
	err := r.Together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = core.Queries.CustomerGetWithKey(ctx, h, dbsqlc.CustomerGetWithKeyParams{Hash: hash, ID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			balances, err = core.Queries.CreditBalanceListWithKey(ctx, h,
				dbsqlc.CreditBalanceListWithKeyParams{Hash: hash, CustomerID: id})
			return err
		})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "customer", err)
		return key, customer.Customer{}, nil, err
	}
	credits := make([]Credit, 0, len(balances))
	for _, b := range balances {
		credits = append(credits, Credit(b))
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), CustomerFromDB(row.Customer), credits, nil
}

// List lists the customers of an environment, without erased ones.
func (r Reader) List(
	ctx context.Context, environmentID string, f CustomerFilter, page core.Page,
) (customers []customer.Customer, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.CustomerList(ctx, r.Lists(), dbsqlc.CustomerListParams{
		EnvironmentID: environmentID, Email: core.Null(f.Email), TestClockID: core.Null(f.TestClockID),
		OverdueState: core.Null(f.OverdueState), NeedsPerson: f.NeedsPerson, Below: span.Below, Above: span.Above,
		Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("CustomerList", err)
	}
	customers, hasMore = core.Cut(page, rows, func(row dbsqlc.CustomerListRow) customer.Customer {
		return CustomerFromDB(row.Customer)
	})
	return customers, hasMore, nil
}

// Lock reads a customer and locks it until the transaction ends. Fault: customer_not_found.
func (tx *Tx) Lock(ctx context.Context, environmentID, id string) (customer.Customer, error) {
	row, err := core.Queries.CustomerLock(ctx, tx.Pipe, dbsqlc.CustomerLockParams{EnvironmentID: environmentID, ID: id})
	return CustomerFromDB(row.Customer), core.ReadError("customer", err)
}

// Insert writes a new customer. Fault: test_clock_not_found.
func (tx *Tx) Insert(ctx context.Context, environmentID string, c customer.Customer) error {
	row := customerRow(environmentID, c)
	return rows.CustomerInsert.Exec(ctx, tx.Pipe, &row)
}

// Save writes the fields that may change. Fault: customer_changed, when the revision differs or the customer is erased.
func (tx *Tx) Save(ctx context.Context, environmentID string, c customer.Customer) error {
	row := customerRow(environmentID, c)
	return rows.CustomerUpdate.Exec(ctx, tx.Pipe.OrElse(core.Changed("customer")), &row)
}

func customerRow(environmentID string, c customer.Customer) dbsqlc.Customer {
	return dbsqlc.Customer{
		ID: c.ID, EnvironmentID: environmentID, Email: core.Null(c.Email), Name: core.Null(c.Name),
		Phone: core.Null(c.Phone), Address: core.Null(c.Address), Country: core.Null(c.Country),
		Region: core.Null(c.Region), Locale: core.Null(c.Locale), TimeZone: core.Null(c.TimeZone),
		TaxExempt: core.Null(c.TaxExempt), TaxIds: core.NullList(c.TaxIDs),
		Metadata: core.Present(c.Metadata), PaymentMethod: core.Null(c.PaymentMethod),
		PaymentDetails: core.Null(c.PaymentDetails), PaymentMethodID: core.Null(c.PaymentMethodID),
		Features: core.NullList(c.Features),
		Dunning:  core.DunningToDB(c.Dunning), OverduePolicy: core.OverdueToDB(c.OverduePolicy),
		TestClockID: core.Null(c.TestClockID), ErasedAt: core.NullTime(c.ErasedAt),
		CreatedAt: c.CreatedAt, Revision: c.Revision,
	}
}

// CustomerFromDB returns the customer of a row.
func CustomerFromDB(row dbsqlc.Customer) customer.Customer {
	c := customer.Customer{
		ID: row.ID, Email: core.Value(row.Email), Name: core.Value(row.Name), Phone: core.Value(row.Phone),
		Address: core.Value(row.Address), Country: core.Value(row.Country), Region: core.Value(row.Region),
		Locale: core.Value(row.Locale), TimeZone: core.Value(row.TimeZone),
		TaxExempt: core.Value(row.TaxExempt), TaxIDs: core.Value(row.TaxIds),
		Metadata: row.Metadata, PaymentMethod: core.Value(row.PaymentMethod), PaymentDetails: core.Value(row.PaymentDetails),
		Features: core.Value(row.Features),
		Dunning:  core.DunningFromDB(row.Dunning), OverduePolicy: core.OverdueFromDB(row.OverduePolicy),
		Overdue:     core.StandingFromDB(row.Overdue, row.OverdueDueAt),
		TestClockID: core.Value(row.TestClockID), ErasedAt: core.Value(row.ErasedAt),
		CreatedAt: row.CreatedAt, Revision: row.Revision, PaymentMethodID: core.Value(row.PaymentMethodID),
	}
	if c.PaymentMethod != "" && c.PaymentMethodID == "" { // since before payment methods had ids
		c.PaymentMethodID = c.FirstMethodID()
	}
	return c
}

// ListByID reads the environment's customers with these ids, also erased ones.
func (r Reader) ListByID(ctx context.Context, environmentID string, ids []string) ([]customer.Customer, error) {
	rows, err := core.Queries.CustomerListByID(ctx, r.Handle,
		dbsqlc.CustomerListByIDParams{EnvironmentID: environmentID, Ids: ids})
	return core.Map(rows, func(row dbsqlc.CustomerListByIDRow) customer.Customer { return CustomerFromDB(row.Customer) }),
		core.Translate("CustomerListByID", err)
}

// LockByID is ListByID, and locks the customers until the transaction ends.
func (tx *Tx) LockByID(ctx context.Context, environmentID string, ids []string) ([]customer.Customer, error) {
	rows, err := core.Queries.CustomerLockByID(ctx, tx.Pipe,
		dbsqlc.CustomerLockByIDParams{EnvironmentID: environmentID, Ids: ids})
	return core.Map(rows, func(row dbsqlc.CustomerLockByIDRow) customer.Customer { return CustomerFromDB(row.Customer) }),
		core.Translate("CustomerLockByID", err)
}

// LockState returns the State of a transaction without a subscription: the customer, locked, and the time of the
// customer's test clock. Fault: customer_not_found.
func (tx *Tx) LockState(ctx context.Context, environmentID, customerID string) (lifecycle.State, error) {
	payer, err := tx.Lock(ctx, environmentID, customerID)
	if err != nil || payer.TestClockID == "" {
		return lifecycle.State{Customer: payer}, err
	}
	clock, err := tx.clocks.Get(ctx, environmentID, payer.TestClockID)
	return lifecycle.State{Customer: payer, ClockNow: clock.NowAt}, err
}
