package customers

import (
	"context"

	"perennial/billing/customer"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// PaymentMethodWithKey reads key and payment method in one round trip, also of a removed one. Faults: api_key_unknown;
// payment_method_not_found, with the key.
func (r Reader) PaymentMethodWithKey(
	ctx context.Context, hash []byte, id string,
) (core.APIKey, customer.Method, error) {
	row, err := core.Queries.PaymentMethodGetWithKey(ctx, r.Handle,
		dbsqlc.PaymentMethodGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "payment_method", err)
		return key, customer.Method{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), MethodFromDB(row.PaymentMethod, row.IsDefault), nil
}

// PaymentMethods lists a customer's payment methods, without removed ones.
func (r Reader) PaymentMethods(
	ctx context.Context, environmentID, customerID string, page core.Page,
) (methods []customer.Method, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.PaymentMethodList(ctx, r.Lists(), dbsqlc.PaymentMethodListParams{
		EnvironmentID: environmentID, CustomerID: customerID,
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("PaymentMethodList", err)
	}
	methods, hasMore = core.Cut(page, rows, func(row dbsqlc.PaymentMethodListRow) customer.Method {
		return MethodFromDB(row.PaymentMethod, row.IsDefault)
	})
	return methods, hasMore, nil
}

// AllPaymentMethods reads a customer's payment methods, oldest first, without removed ones. While the customer is
// locked they do not change.
func (r Reader) AllPaymentMethods(ctx context.Context, environmentID, customerID string) ([]customer.Method, error) {
	rows, err := core.Queries.PaymentMethodListOfCustomer(ctx, r.Handle,
		dbsqlc.PaymentMethodListOfCustomerParams{EnvironmentID: environmentID, CustomerID: customerID})
	return core.Map(rows, func(row dbsqlc.PaymentMethodListOfCustomerRow) customer.Method {
		return MethodFromDB(row.PaymentMethod, row.IsDefault)
	}), core.Translate("PaymentMethodListOfCustomer", err)
}

// InsertPaymentMethod writes a new payment method. The caller holds the customer's lock, and saves the customer
// afterwards where it becomes the default.
func (tx *Tx) InsertPaymentMethod(ctx context.Context, environmentID string, m customer.Method) error {
	return core.Queries.PaymentMethodInsert(ctx, tx.Pipe, dbsqlc.PaymentMethodInsertParams{
		EnvironmentID: environmentID, ID: m.ID, CustomerID: m.CustomerID, Type: m.Type, Details: &m.Details,
		Brand: core.Null(m.Card.Brand), LastFour: core.Null(m.Card.LastFour), ExpiresYear: core.Null(m.Card.ExpiryYear),
		ExpiresMonth: core.Null(m.Card.ExpiryMonth), BillingName: core.Null(m.BillingName),
		NoticeDueAt: core.NullTime(m.Card.NoticeAt()), CreatedAt: m.CreatedAt,
	})
}

// SavePaymentMethod writes the fields that may change. The caller holds the customer's lock, and saves the customer
// afterwards where it is the default. Fault: payment_method_changed, when the revision differs or it is removed.
func (tx *Tx) SavePaymentMethod(ctx context.Context, environmentID string, m customer.Method) error {
	return core.Queries.PaymentMethodUpdate(ctx, tx.Pipe.OrElse(core.Changed("payment_method")),
		dbsqlc.PaymentMethodUpdateParams{
			EnvironmentID: environmentID, ID: m.ID, Revision: m.Revision, Type: m.Type, Details: &m.Details,
			Brand: core.Null(m.Card.Brand), LastFour: core.Null(m.Card.LastFour),
			ExpiresYear: core.Null(m.Card.ExpiryYear), ExpiresMonth: core.Null(m.Card.ExpiryMonth),
			BillingName: core.Null(m.BillingName), NoticeDueAt: core.NullTime(m.Card.NoticeAt()),
			Expiry: core.Null(m.Card.ExpiryYear*100 + m.Card.ExpiryMonth),
		})
}

// RemovePaymentMethod ends a payment method, and erases what it was charged with. The caller holds the customer's lock,
// and saves the customer where it was the default.
func (tx *Tx) RemovePaymentMethod(ctx context.Context, environmentID, id string) error {
	return core.Queries.PaymentMethodRemove(ctx, tx.Pipe,
		dbsqlc.PaymentMethodRemoveParams{EnvironmentID: environmentID, ID: id, RemovedAt: tx.Real})
}

// DescribeDefault writes what is known of the default payment method of an imported customer.
func (tx *Tx) DescribeDefault(ctx context.Context, environmentID string, m customer.Method) error {
	return core.Queries.PaymentMethodDescribe(ctx, tx.Pipe, dbsqlc.PaymentMethodDescribeParams{
		EnvironmentID: environmentID, ID: m.ID, Brand: core.Null(m.Card.Brand), LastFour: core.Null(m.Card.LastFour),
		ExpiresYear: core.Null(m.Card.ExpiryYear), ExpiresMonth: core.Null(m.Card.ExpiryMonth),
		BillingName: core.Null(m.BillingName), NoticeDueAt: core.NullTime(m.Card.NoticeAt()),
	})
}

// MethodOwner is the customer of a payment method.
type MethodOwner struct{ ID, CustomerID string }

// MethodOwners returns the payment methods here among some ids, also removed ones.
func (r Reader) MethodOwners(ctx context.Context, environmentID string, ids []string) ([]MethodOwner, error) {
	rows, err := core.Queries.PaymentMethodListOwners(ctx, r.Handle,
		dbsqlc.PaymentMethodListOwnersParams{EnvironmentID: environmentID, Ids: ids})
	return core.Map(rows, func(row dbsqlc.PaymentMethodListOwnersRow) MethodOwner { return MethodOwner(row) }),
		core.Translate("PaymentMethodListOwners", err)
}

// MethodTally is the number of a customer's payment methods.
type MethodTally struct {
	CustomerID string
	Methods    int
}

// MethodTallies counts the payment methods of some customers.
func (r Reader) MethodTallies(ctx context.Context, environmentID string, customerIDs []string) ([]MethodTally, error) {
	rows, err := core.Queries.PaymentMethodTally(ctx, r.Handle,
		dbsqlc.PaymentMethodTallyParams{EnvironmentID: environmentID, CustomerIds: customerIDs})
	return core.Map(rows, func(row dbsqlc.PaymentMethodTallyRow) MethodTally { return MethodTally(row) }),
		core.Translate("PaymentMethodTally", err)
}

// MethodFromDB returns the payment method of a row.
func MethodFromDB(row dbsqlc.PaymentMethod, isDefault bool) customer.Method {
	return customer.Method{
		ID: row.ID, CustomerID: row.CustomerID, Type: row.Type, Details: core.Value(row.Details),
		Card: customer.Card{
			Brand: core.Value(row.Brand), LastFour: core.Value(row.LastFour), ExpiryYear: core.Value(row.ExpiresYear),
			ExpiryMonth: core.Value(row.ExpiresMonth),
		},
		BillingName: core.Value(row.BillingName), Default: isDefault && row.RemovedAt == nil,
		Noticed: row.NoticeDueAt == nil, RemovedAt: core.Value(row.RemovedAt), CreatedAt: row.CreatedAt,
		Revision: row.Revision,
	}
}
