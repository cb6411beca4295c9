package db

import (
	"context"
	"errors"
	"math"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db/internal/dbsqlc"
)

// TransactionFilter narrows a list; empty: any.
type TransactionFilter struct {
	CustomerID     string
	SubscriptionID string
	InvoiceID      string
	Status         payment.Status
	Type           payment.Type
	RefundOwed     bool // only charges of which something is owed back
	// ProviderConfigID is the account that the payment was last sent to.
	ProviderConfigID string
	CreatedFrom      time.Time // this or later; zero: any
	CreatedTo        time.Time // before this; zero: any
}

// Transaction reads one. Fault: transaction_not_found.
func (r Reader) Transaction(ctx context.Context, environmentID, id string) (payment.Transaction, error) {
	row, err := queries.TransactionGet(ctx, r.handle, dbsqlc.TransactionGetParams{EnvironmentID: environmentID, ID: id})
	return transactionFromDB(row.Transaction), readError("transaction", err)
}

// TransactionWithKey reads key and transaction in one round trip.
// Faults: api_key_unknown; transaction_not_found, with the key.
func (r Reader) TransactionWithKey(ctx context.Context, hash []byte, id string) (APIKey, payment.Transaction, error) {
	row, err := queries.TransactionGetWithKey(ctx, r.handle, dbsqlc.TransactionGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "transaction", err)
		return key, payment.Transaction{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), transactionFromDB(row.Transaction), nil
}

// TransactionByProviderRef finds the one that a provider calls so. Fault: transaction_not_found.
func (r Reader) TransactionByProviderRef(
	ctx context.Context, environmentID, providerConfigID string, typ payment.Type, ref string,
) (payment.Transaction, error) {
	row, err := queries.TransactionGetByProviderRef(ctx, r.handle, dbsqlc.TransactionGetByProviderRefParams{
		EnvironmentID: environmentID, ProviderConfigID: &providerConfigID, ProviderRef: &ref, Type: typ,
	})
	return transactionFromDB(row.Transaction), readError("transaction", err)
}

// TransactionSuperseding finds the one of which a provider calls a further capture so, which was booked as a transaction
// of its own. Fault: transaction_not_found.
func (r Reader) TransactionSuperseding(
	ctx context.Context, environmentID, providerConfigID, ref string,
) (payment.Transaction, error) {
	row, err := queries.TransactionGetSuperseding(ctx, r.handle, dbsqlc.TransactionGetSupersedingParams{
		EnvironmentID: environmentID, ProviderConfigID: &providerConfigID, ProviderRef: &ref,
	})
	return transactionFromDB(row.Transaction), readError("transaction", err)
}

// tokenForm is that of every token. PostgreSQL cannot even be asked about some other texts.
var tokenForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// TransactionByConfirmToken finds the one whose payer has this token, with its environment. Fault:
// transaction_not_found.
func (r Reader) TransactionByConfirmToken(
	ctx context.Context, token string,
) (environmentID string, t payment.Transaction, err error) {
	if !tokenForm.MatchString(token) {
		return "", payment.Transaction{}, ErrTransactionNotFound
	}
	row, err := queries.TransactionGetByConfirmToken(ctx, r.handle, token)
	return row.Transaction.EnvironmentID, transactionFromDB(row.Transaction), readError("transaction", err)
}

// LockRecovered reads the success that a capture on this canceled charge has become, under lock; nil: there is none.
func (tx *Tx) LockRecovered(ctx context.Context, environmentID, id string) (*payment.Transaction, error) {
	row, err := queries.TransactionLockRecovered(ctx, tx.pipe,
		dbsqlc.TransactionLockRecoveredParams{EnvironmentID: environmentID, RecoveredFrom: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // most canceled charges were never captured
	}
	if err != nil {
		return nil, translate("TransactionLockRecovered", err)
	}
	recovered := transactionFromDB(row.Transaction)
	return &recovered, nil
}

// Transactions lists an environment's.
func (r Reader) Transactions(
	ctx context.Context, environmentID string, f TransactionFilter, page Page,
) (txns []payment.Transaction, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	in := dbsqlc.TransactionListParams{
		EnvironmentID: environmentID, CustomerID: null(f.CustomerID), SubscriptionID: null(f.SubscriptionID),
		InvoiceID: null(f.InvoiceID), Status: null(string(f.Status)), Type: null(string(f.Type)), RefundOwed: f.RefundOwed,
		ProviderConfigID: null(f.ProviderConfigID), CreatedFrom: nullTime(f.CreatedFrom), CreatedTo: nullTime(f.CreatedTo),
		Below: span.below, Above: span.above, Forward: page.forward(), RowLimit: page.rowLimit(),
	}
	list := r.transactions
	if in.CreatedFrom != nil || in.CreatedTo != nil {
		list = r.transactionsInTime
	}
	rows, err := list(ctx, in)
	if err != nil {
		return nil, false, err
	}
	txns, hasMore = cut(page, rows, transactionFromDB)
	return txns, hasMore, nil
}

// LockTransaction reads one that nobody else may change until the transaction ends; its subscription and invoice, where
// it has them, are locked before it. Fault: transaction_not_found.
func (tx *Tx) LockTransaction(ctx context.Context, environmentID, id string) (payment.Transaction, error) {
	row, err := queries.TransactionLock(ctx, tx.pipe, dbsqlc.TransactionLockParams{EnvironmentID: environmentID, ID: id})
	return granular(tx.limits, transactionFromDB(row.Transaction)), readError("transaction", err)
}

// granular notes on a charge which refunds its provider can express: also on one that is about to be captured.
func granular(
	limits func(provider string, currency money.Currency) money.Limits, t payment.Transaction,
) payment.Transaction {
	if limits != nil && t.Type == payment.Charge && t.Provider != "" {
		if g := limits(t.Provider, t.Currency).Granularity; g > 1 {
			t.Granularity = g
		}
	}
	return t
}

// Payer is what an exchange must know of the customer who pays.
type Payer struct {
	Erased  bool
	Country string // ISO 3166-1 alpha-2; empty: not known
	// RestoredAt is when the database came under its present server, in real time: it may have lost what was sent before.
	RestoredAt time.Time
}

// LockTransactionWithPayer is LockTransaction with the customer who pays. Where the database has come under another
// server, which every restore of it leads to, that is noted with tx.Real as its time.
func (tx *Tx) LockTransactionWithPayer(
	ctx context.Context, environmentID, id string,
) (payment.Transaction, Payer, error) {
	row, err := queries.TransactionLockWithPayer(ctx, tx.pipe, dbsqlc.TransactionLockWithPayerParams{
		EnvironmentID: environmentID, ID: id,
	})
	if err != nil {
		return payment.Transaction{}, Payer{}, readError("transaction", err)
	}
	payer := Payer{Erased: row.PayerErased, Country: row.PayerCountry, RestoredAt: row.RestoredAt}
	if !row.SameServer {
		payer.RestoredAt = tx.Real
		err = tx.NoteServer(ctx)
	}
	return transactionFromDB(row.Transaction), payer, err
}

// NoteServer notes that the database has come under another server, with tx.Real as the time; nothing where it has not.
func (tx *Tx) NoteServer(ctx context.Context) error {
	return translate("DatabaseServerUpdate", queries.DatabaseServerUpdate(ctx, tx.pipe, tx.Real))
}

// Refunds lists those of a charge, oldest first, and with them what banks took back because of disputes.
func (r Reader) Refunds(ctx context.Context, environmentID, chargeID string) ([]payment.Transaction, error) {
	found, err := queries.TransactionListRefunds(ctx, r.handle, dbsqlc.TransactionListRefundsParams{
		EnvironmentID: environmentID, ChargeID: chargeID,
	})
	return refs(found, func(f dbsqlc.TransactionListRefundsRow) payment.Transaction {
		return transactionFromDB(f.Transaction)
	}), translate("TransactionListRefunds", err)
}

// LockRefunds is Refunds under lock. Their charge is locked before.
func (tx *Tx) LockRefunds(ctx context.Context, environmentID, chargeID string) ([]payment.Transaction, error) {
	found, err := queries.TransactionLockRefunds(ctx, tx.pipe, dbsqlc.TransactionLockRefundsParams{
		EnvironmentID: environmentID, ChargeID: chargeID,
	})
	return refs(found, func(f dbsqlc.TransactionLockRefundsRow) payment.Transaction {
		return transactionFromDB(f.Transaction)
	}), translate("TransactionLockRefunds", err)
}

// InsertTransaction writes an intent to move money. Faults: payment_in_progress, when its invoice has a live attempt;
// <resource>_not_found for what it refers to.
func (tx *Tx) InsertTransaction(ctx context.Context, environmentID string, t payment.Transaction) error {
	err := queries.TransactionInsert(ctx, tx.pipe, dbsqlc.TransactionInsertParams{
		ID: t.ID, EnvironmentID: environmentID, Type: t.Type, Status: t.Status, CustomerID: t.CustomerID,
		SubscriptionID: null(t.SubscriptionID), InvoiceID: null(t.InvoiceID), Amount: t.Amount,
		Currency: t.Currency, Description: t.Description, AttemptNumber: null(t.AttemptNumber), Trigger: t.Trigger,
		Provider: null(t.Provider), ProviderConfigID: null(t.ProviderConfigID), ProviderRef: null(t.ProviderRef),
		Method: null(t.Method), FailureCode: null(t.FailureCode), FailureReason: null(t.FailureReason),
		ProviderResponse: t.ProviderResponse, ChargeID: null(t.ChargeID), RecoveredFrom: null(t.RecoveredFrom),
		AmountRefunded: t.AmountRefunded, RefundOwed: t.RefundOwed, SendNumber: t.SendNumber,
		FirstSentAt: nullTime(t.FirstSentAt), CancelRequestedAt: nullTime(t.CancelRequestedAt),
		NextCheckAt: nullTime(t.NextCheckAt), Checks: t.Checks, NotFoundCount: t.NotFoundCount,
		NotFoundAt: nullTime(t.NotFoundAt), ParkedAt: nullTime(t.ParkedAt), SendDueAt: nullTime(t.SendDueAt),
		DueAt: t.DueAt, CompletedAt: nullTime(t.CompletedAt), CreatedAt: t.CreatedAt, Disputes: nullList(t.Disputes),
		DisputedAt: nullTime(t.DisputedAt), ReturnedAt: nullTime(t.ReturnedAt), ReviewReason: null(t.Review.Reason),
		ReviewRef: null(t.Review.Ref), ReviewedAt: nullTime(t.Review.At),
	})
	if err != nil {
		return err
	}
	return tx.saveDisputes(ctx, environmentID, t)
}

// SaveTransaction writes what may change and raises the revision by one; what was asked never changes. Faults:
// transaction_changed, when it is not of the revision read; transaction_final, as payment.CanBecome says;
// provider_ref_taken.
func (tx *Tx) SaveTransaction(ctx context.Context, environmentID string, t payment.Transaction) error {
	err := queries.TransactionUpdate(ctx, tx.pipe.orElse(changed("transaction")), dbsqlc.TransactionUpdateParams{
		ID: t.ID, EnvironmentID: environmentID, Status: t.Status, Provider: null(t.Provider),
		ProviderConfigID: null(t.ProviderConfigID), ProviderRef: null(t.ProviderRef), Method: null(t.Method),
		FailureCode: null(t.FailureCode), FailureReason: null(t.FailureReason), ProviderResponse: t.ProviderResponse,
		AmountRefunded: t.AmountRefunded, RefundOwed: t.RefundOwed, SendNumber: t.SendNumber,
		FirstSentAt: nullTime(t.FirstSentAt), CancelRequestedAt: nullTime(t.CancelRequestedAt),
		NextCheckAt: nullTime(t.NextCheckAt), Checks: t.Checks, NotFoundCount: t.NotFoundCount,
		NotFoundAt: nullTime(t.NotFoundAt), ParkedAt: nullTime(t.ParkedAt), SendDueAt: nullTime(t.SendDueAt),
		CompletedAt: nullTime(t.CompletedAt), Revision: t.Revision, Disputes: nullList(t.Disputes), DisputedAt: nullTime(t.DisputedAt),
		ReturnedAt: nullTime(t.ReturnedAt), Owes: t.RefundOwed > 0, ReviewReason: null(t.Review.Reason),
		ReviewRef: null(t.Review.Ref), ReviewedAt: nullTime(t.Review.At), HeldAt: nullTime(t.HeldBack.At),
		HeldRevision: heldRevision(t.HeldBack), HeldByStop: t.HeldBack.ByStop, ConfirmToken: null(t.Action.Token),
		ActionUrl: null(t.Action.URL), ActionExpiresAt: nullTime(t.Action.ExpiresAt),
		ActionReturnedAt: nullTime(t.Action.ReturnedAt), ActionBrought: null(t.Action.Brought),
		ActionHandedAt: nullTime(t.Action.HandedAt), ActionApartSend: null(t.Action.ApartSend),
		UnsentAt: nullTime(t.UnsentAt), UnansweredSince: nullTime(t.Silence.Since), UnansweredAt: nullTime(t.Silence.At),
	})
	if err != nil {
		return err
	}
	return tx.saveDisputes(ctx, environmentID, t)
}

// noRevision is that of a payment that waits for its turn: no revision of the accounts is later, so that none wakes it.
const noRevision = math.MaxInt64

// heldRevision is null where nothing is held, since 0 is a revision.
func heldRevision(h payment.Hold) *int64 {
	switch {
	case h.At.IsZero():
		return nil
	case h.ForTurn:
		return new(int64(noRevision))
	}
	return &h.Revision
}

func heldFromDB(row dbsqlc.Transaction) payment.Hold {
	h := payment.Hold{At: value(row.HeldAt), Revision: value(row.HeldRevision), ByStop: row.HeldByStop}
	if h.Revision == noRevision {
		h.Revision, h.ForTurn = 0, true
	}
	return h
}

func transactionFromDB(row dbsqlc.Transaction) payment.Transaction {
	return payment.Transaction{
		ID: row.ID, Type: row.Type, Status: row.Status, CustomerID: row.CustomerID,
		SubscriptionID: value(row.SubscriptionID), InvoiceID: value(row.InvoiceID), Amount: row.Amount,
		Currency: row.Currency, Description: row.Description, AttemptNumber: value(row.AttemptNumber),
		Trigger: row.Trigger, Provider: value(row.Provider), ProviderConfigID: value(row.ProviderConfigID),
		ProviderRef: value(row.ProviderRef), Method: value(row.Method), FailureCode: value(row.FailureCode),
		FailureReason: value(row.FailureReason), ProviderResponse: row.ProviderResponse,
		ChargeID: value(row.ChargeID), RecoveredFrom: value(row.RecoveredFrom), AmountRefunded: row.AmountRefunded,
		RefundOwed: row.RefundOwed, SendNumber: row.SendNumber, FirstSentAt: value(row.FirstSentAt),
		CancelRequestedAt: value(row.CancelRequestedAt), NextCheckAt: value(row.NextCheckAt),
		Checks: row.Checks, NotFoundCount: row.NotFoundCount, NotFoundAt: value(row.NotFoundAt),
		ParkedAt: value(row.ParkedAt), SendDueAt: value(row.SendDueAt), DueAt: row.DueAt,
		CompletedAt: value(row.CompletedAt), CreatedAt: row.CreatedAt, Revision: row.Revision,
		Disputes: value(row.Disputes), DisputedAt: value(row.DisputedAt), ReturnedAt: value(row.ReturnedAt),
		Review:   payment.Review{Reason: value(row.ReviewReason), Ref: value(row.ReviewRef), At: value(row.ReviewedAt)},
		HeldBack: heldFromDB(row),
		Action: payment.Action{
			Token: value(row.ConfirmToken), URL: value(row.ActionUrl), ExpiresAt: value(row.ActionExpiresAt),
			ReturnedAt: value(row.ActionReturnedAt), Brought: value(row.ActionBrought),
			HandedAt: value(row.ActionHandedAt), ApartSend: value(row.ActionApartSend),
		},
		UnsentAt: value(row.UnsentAt),
		Silence:  payment.Silence{Since: value(row.UnansweredSince), At: value(row.UnansweredAt)},
	}
}
