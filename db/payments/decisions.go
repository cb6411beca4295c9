package payments

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Decision is a person's decision about a payment in review, or about a callback whose payment the database has lost.
type Decision struct {
	ID            string
	TransactionID string
	CallbackID    string // empty: about a payment in review
	Reason        string // why a person had to decide
	ProviderRef   string // empty: none is known
	Outcome       string
	Note          string
	ActorKind     core.ActorKind
	ActorID       string
	DecidedAt     time.Time // real
}

// InsertDecision records a decision of the transaction's actor; id, actor and time are set here.
func (tx *Tx) InsertDecision(ctx context.Context, environmentID string, d Decision) error {
	return core.Queries.DecisionInsert(ctx, tx.Pipe, dbsqlc.DecisionInsertParams{
		ID: id.New(id.Decision, tx.Real), EnvironmentID: environmentID, TransactionID: d.TransactionID,
		CallbackID: core.Null(d.CallbackID), Reason: d.Reason, ProviderRef: d.ProviderRef, Outcome: d.Outcome, Note: d.Note,
		ActorKind: string(tx.By.Kind()), ActorID: tx.By.ID(), DecidedAt: tx.Real,
	})
}

// Decisions lists those about a transaction, oldest first.
func (r Reader) Decisions(ctx context.Context, environmentID, transactionID string) ([]Decision, error) {
	found, err := core.Queries.DecisionList(ctx, r.Handle,
		dbsqlc.DecisionListParams{EnvironmentID: environmentID, TransactionID: transactionID})
	return core.Map(found, func(f dbsqlc.DecisionListRow) Decision {
		d := f.Decision
		return Decision{
			ID: d.ID, TransactionID: d.TransactionID, CallbackID: core.Value(d.CallbackID), Reason: d.Reason,
			ProviderRef: d.ProviderRef, Outcome: d.Outcome, Note: d.Note, ActorKind: core.ActorKind(d.ActorKind),
			ActorID: d.ActorID, DecidedAt: d.DecidedAt,
		}
	}), core.Translate("DecisionList", err)
}

// EnvironmentOfTransaction finds where a transaction is. Global: an operator names it by its id. Fault:
// transaction_not_found.
func (r Reader) EnvironmentOfTransaction(ctx context.Context, id string) (string, error) {
	environmentID, err := core.Queries.TransactionGetEnvironment(ctx, r.Handle, id)
	return environmentID, core.ReadError("transaction", err)
}

// EnvironmentOfCallback finds where a callback is. Global: an operator names it by its id. Fault: callback_not_found.
func (r Reader) EnvironmentOfCallback(ctx context.Context, id string) (string, error) {
	environmentID, err := core.Queries.CallbackGetEnvironment(ctx, r.Handle, id)
	return environmentID, core.ReadError("callback", err)
}

// LockLostCallback reads an open callback about a payment that the database does not have. Fault: callback_not_found.
func (tx *Tx) LockLostCallback(ctx context.Context, environmentID, id string) (LostCallback, error) {
	row, err := core.Queries.CallbackLockLost(ctx, tx.Pipe,
		dbsqlc.CallbackLockLostParams{EnvironmentID: environmentID, ID: id})
	return LostCallback(row), core.ReadError("callback", err)
}

// CloseLostCallbacks closes all open callbacks about a payment that the database does not have.
func (tx *Tx) CloseLostCallbacks(ctx context.Context, environmentID, lostTransactionID string) error {
	return core.Queries.CallbackClose(ctx, tx.Pipe, dbsqlc.CallbackCloseParams{
		EnvironmentID: environmentID, LostTransactionID: lostTransactionID, ProcessedAt: &tx.Real,
	})
}
