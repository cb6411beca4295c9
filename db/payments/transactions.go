package payments

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// TransactionRef names a transaction and the subscription whose workflow serves it, if any does: not a refund's.
type TransactionRef struct {
	core.Ref
	SubscriptionID string
}

// RefOf names a transaction and its owner.
func RefOf(f dbsqlc.TransactionListOverdueRow) TransactionRef {
	ref := TransactionRef{Ref: core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}}
	if f.Type == payment.Charge && f.FinishedAt == nil {
		ref.SubscriptionID = core.Value(f.SubscriptionID)
	}
	return ref
}

// TransactionFilter narrows a list; empty: any.
type TransactionFilter struct {
	CustomerID     string
	SubscriptionID string
	InvoiceID      string
	Status         payment.Status
	Type           payment.Type
	RefundOwed     bool // only charges with a debt of failed refunds
	// ProviderConfigID is the account that the payment was last sent to.
	ProviderConfigID string
	CreatedFrom      time.Time // this or later; zero: any
	CreatedTo        time.Time // before this; zero: any
}

// Transaction reads one. Fault: transaction_not_found.
func (r Reader) Transaction(ctx context.Context, environmentID, id string) (payment.Transaction, error) {
	row, err := core.Queries.TransactionGet(ctx, r.Handle,
		dbsqlc.TransactionGetParams{EnvironmentID: environmentID, ID: id})
	return TransactionFromDB(row.Transaction), core.ReadError("transaction", err)
}

// TransactionWithKey reads key and transaction in one round trip.
// Faults: api_key_unknown; transaction_not_found, with the key.
func (r Reader) TransactionWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, payment.Transaction,
	error) {
	row, err := core.Queries.TransactionGetWithKey(ctx, r.Handle, dbsqlc.TransactionGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "transaction", err)
		return key, payment.Transaction{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), TransactionFromDB(row.Transaction), nil
}

// TransactionByProviderRef finds the transaction with a provider's reference. Fault: transaction_not_found.
func (r Reader) TransactionByProviderRef(
	ctx context.Context, environmentID, providerConfigID string, typ payment.Type, ref string,
) (payment.Transaction, error) {
	row, err := core.Queries.TransactionGetByProviderRef(ctx, r.Handle, dbsqlc.TransactionGetByProviderRefParams{
		EnvironmentID: environmentID, ProviderConfigID: &providerConfigID, ProviderRef: &ref, Type: typ,
	})
	return TransactionFromDB(row.Transaction), core.ReadError("transaction", err)
}

// TransactionSuperseding finds the transaction whose further capture has a provider's reference and was booked as a
// transaction of its own. Fault: transaction_not_found.
func (r Reader) TransactionSuperseding(
	ctx context.Context, environmentID, providerConfigID, ref string,
) (payment.Transaction, error) {
	row, err := core.Queries.TransactionGetSuperseding(ctx, r.Handle, dbsqlc.TransactionGetSupersedingParams{
		EnvironmentID: environmentID, ProviderConfigID: &providerConfigID, ProviderRef: &ref,
	})
	return TransactionFromDB(row.Transaction), core.ReadError("transaction", err)
}

// tokenForm matches every token. PostgreSQL cannot even be asked about some other texts.
var tokenForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// TransactionByConfirmToken finds the one whose payer has this token, with its environment. Fault:
// transaction_not_found.
func (r Reader) TransactionByConfirmToken(
	ctx context.Context, token string,
) (environmentID string, t payment.Transaction, err error) {
	if !tokenForm.MatchString(token) {
		return "", payment.Transaction{}, core.ErrTransactionNotFound
	}
	row, err := core.Queries.TransactionGetByConfirmToken(ctx, r.Handle, token)
	return row.Transaction.EnvironmentID, TransactionFromDB(row.Transaction), core.ReadError("transaction", err)
}

// LockRecovered reads the success that a capture on this canceled charge has become, under lock; nil: there is none.
func (tx *Tx) LockRecovered(ctx context.Context, environmentID, id string) (*payment.Transaction, error) {
	row, err := core.Queries.TransactionLockRecovered(ctx, tx.Pipe,
		dbsqlc.TransactionLockRecoveredParams{EnvironmentID: environmentID, RecoveredFrom: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // most canceled charges were never captured
	}
	if err != nil {
		return nil, core.Translate("TransactionLockRecovered", err)
	}
	recovered := TransactionFromDB(row.Transaction)
	return &recovered, nil
}

// Transactions lists an environment's.
func (r Reader) Transactions(
	ctx context.Context, environmentID string, f TransactionFilter, page core.Page,
) (txns []payment.Transaction, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	in := dbsqlc.TransactionListParams{
		EnvironmentID: environmentID, CustomerID: core.Null(f.CustomerID), SubscriptionID: core.Null(f.SubscriptionID),
		InvoiceID: core.Null(f.InvoiceID), Status: core.Null(string(f.Status)), Type: core.Null(string(f.Type)),
		RefundOwed:       f.RefundOwed,
		ProviderConfigID: core.Null(f.ProviderConfigID), CreatedFrom: core.NullTime(f.CreatedFrom),
		CreatedTo: core.NullTime(f.CreatedTo),
		Below:     span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	}
	list := r.transactions
	if in.CreatedFrom != nil || in.CreatedTo != nil {
		list = r.transactionsInTime
	}
	rows, err := list(ctx, in)
	if err != nil {
		return nil, false, err
	}
	txns, hasMore = core.Cut(page, rows, TransactionFromDB)
	return txns, hasMore, nil
}

// LockTransaction reads a transaction and locks it until this database transaction ends; its subscription and invoice,
// if any, are locked before it. Fault: transaction_not_found.
func (tx *Tx) LockTransaction(ctx context.Context, environmentID, id string) (payment.Transaction, error) {
	row, err := core.Queries.TransactionLock(ctx, tx.Pipe,
		dbsqlc.TransactionLockParams{EnvironmentID: environmentID, ID: id})
	return Granular(tx.Limits, TransactionFromDB(row.Transaction)), core.ReadError("transaction", err)
}

// Granular sets the granularity of refunds of a charge by its provider, also for one that is about to be captured.
func Granular(
	limits func(provider string, currency money.Currency) money.Limits, t payment.Transaction,
) payment.Transaction {
	if limits != nil && t.Type == payment.Charge && t.Provider != "" {
		if g := limits(t.Provider, t.Currency).Granularity; g > 1 {
			t.Granularity = g
		}
	}
	return t
}

// Payer has the facts that an exchange needs about the customer who pays.
type Payer struct {
	Erased  bool
	Country string // ISO 3166-1 alpha-2; empty: not known
	// RestoredAt is the real time at which the database came under its present server: earlier sends may be lost.
	RestoredAt time.Time
}

// LockTransactionWithPayer is LockTransaction with the customer who pays. Where the database has come under another
// server, which every restore of it leads to, that is noted with tx.Real as its time.
func (tx *Tx) LockTransactionWithPayer(
	ctx context.Context, environmentID, id string,
) (payment.Transaction, Payer, error) {
	row, err := core.Queries.TransactionLockWithPayer(ctx, tx.Pipe, dbsqlc.TransactionLockWithPayerParams{
		EnvironmentID: environmentID, ID: id,
	})
	if err != nil {
		return payment.Transaction{}, Payer{}, core.ReadError("transaction", err)
	}
	payer := Payer{Erased: row.PayerErased, Country: row.PayerCountry, RestoredAt: row.RestoredAt}
	if !row.SameServer {
		payer.RestoredAt = tx.Real
		err = tx.NoteServer(ctx)
	}
	return TransactionFromDB(row.Transaction), payer, err
}

// NoteServer notes that the database has come under another server, with tx.Real as the time; nothing where it has not.
func (tx *Tx) NoteServer(ctx context.Context) error {
	return core.Translate("DatabaseServerUpdate", core.Queries.DatabaseServerUpdate(ctx, tx.Pipe, tx.Real))
}

// Refunds lists the refunds of a charge, oldest first, including the amounts that banks took back because of disputes.
func (r Reader) Refunds(ctx context.Context, environmentID, chargeID string) ([]payment.Transaction, error) {
	found, err := core.Queries.TransactionListRefunds(ctx, r.Handle, dbsqlc.TransactionListRefundsParams{
		EnvironmentID: environmentID, ChargeID: chargeID,
	})
	return core.Map(found, func(f dbsqlc.TransactionListRefundsRow) payment.Transaction {
		return TransactionFromDB(f.Transaction)
	}), core.Translate("TransactionListRefunds", err)
}

// LockRefunds is Refunds under lock. Their charge is locked before.
func (tx *Tx) LockRefunds(ctx context.Context, environmentID, chargeID string) ([]payment.Transaction, error) {
	found, err := core.Queries.TransactionLockRefunds(ctx, tx.Pipe, dbsqlc.TransactionLockRefundsParams{
		EnvironmentID: environmentID, ChargeID: chargeID,
	})
	return core.Map(found, func(f dbsqlc.TransactionLockRefundsRow) payment.Transaction {
		return TransactionFromDB(f.Transaction)
	}), core.Translate("TransactionLockRefunds", err)
}

// InsertTransaction writes an intent to move money. Faults: payment_in_progress, when its invoice has a live attempt;
// <resource>_not_found for its references.
func (tx *Tx) InsertTransaction(ctx context.Context, environmentID string, t payment.Transaction) error {
	row := transactionRow(environmentID, t)
	if err := rows.TransactionInsert.Exec(ctx, tx.Pipe, &row); err != nil {
		return err
	}
	return tx.saveDisputes(ctx, environmentID, t)
}

// SaveTransaction writes the fields that may change and raises the revision by one; the request never changes. Faults:
// transaction_changed, when it is not of the revision read; transaction_final, as in payment.CanBecome;
// provider_ref_taken.
func (tx *Tx) SaveTransaction(ctx context.Context, environmentID string, t payment.Transaction) error {
	row := transactionRow(environmentID, t)
	if err := rows.TransactionUpdate.Exec(ctx, tx.Pipe.OrElse(core.Changed("transaction")), &row); err != nil {
		return err
	}
	return tx.saveDisputes(ctx, environmentID, t)
}
