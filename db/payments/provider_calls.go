package payments

import (
	"context"
	"time"

	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// The operations of provider calls.
const (
	CallCharge       = "charge"
	CallLookup       = "lookup"
	CallCancel       = "cancel"
	CallComplete     = "complete"
	CallRefund       = "refund"
	CallRefundLookup = "refund_lookup"
)

// CallCutOff is the outcome of a call whose worker died before its end.
const CallCutOff = "cut_off"

// ProviderCall is one HTTP exchange with a provider for a transaction. It is written before the exchange and finished
// after it, in real time: one without an end is under way, or its worker died; the end of another one, or a callback
// that proves its result, marks it as cut off (CallCutOff).
type ProviderCall struct {
	ID            string
	TransactionID string
	Operation     string
	SendNumber    int    // of the send that it is about; 0: of none, or not known
	Key           string // idempotency key sent; empty where none was: look-ups, cancels
	Outcome       string // as in providers, "error" when the request was impossible, or CallCutOff
	HTTPStatus    int    // 0: no answer
	Response      []byte // redacted JSON
	StartedAt     time.Time
	EndedAt       time.Time
	Searched      Searched
}

// Searched is the subject of a look-up for a lost send; zero: the call is none.
type Searched struct {
	ProviderConfigID string    // of the account
	Since            time.Time // when the database was restored that lost the send; see Payer.RestoredAt
}

// ProviderCalls lists the calls of a transaction, oldest first.
func (r Reader) ProviderCalls(ctx context.Context, environmentID, transactionID string) ([]ProviderCall, error) {
	rows, err := core.Queries.ProviderCallList(ctx, r.Handle, dbsqlc.ProviderCallListParams{
		EnvironmentID: environmentID, TransactionID: transactionID,
	})
	if err != nil {
		return nil, core.Translate("ProviderCallList", err)
	}
	calls := make([]ProviderCall, 0, len(rows))
	for _, row := range rows {
		c := row.ProviderCall
		calls = append(calls, ProviderCall{
			ID: c.ID, TransactionID: c.TransactionID, Operation: c.Operation, SendNumber: core.Value(c.SendNumber),
			Key: c.Key, Outcome: core.Value(c.Outcome),
			HTTPStatus: core.Value(c.HttpStatus), Response: c.Response, StartedAt: c.StartedAt, EndedAt: core.Value(c.EndedAt),
			Searched: Searched{core.Value(c.SearchedConfigID), core.Value(c.SearchedSince)},
		})
	}
	return calls, nil
}

// InsertProviderCall opens one, before the exchange. Fault: transaction_not_found.
func (tx *Tx) InsertProviderCall(ctx context.Context, environmentID string, c ProviderCall) error {
	return core.Queries.ProviderCallInsert(ctx, tx.Pipe, dbsqlc.ProviderCallInsertParams{
		ID: c.ID, EnvironmentID: environmentID, TransactionID: c.TransactionID, Operation: c.Operation, Key: c.Key,
		SendNumber: core.Null(c.SendNumber), StartedAt: c.StartedAt,
		SearchedConfigID: core.Null(c.Searched.ProviderConfigID), SearchedSince: core.NullTime(c.Searched.Since),
	})
}

// Searched lists what accounts were asked about lost sends of a transaction since the database was restored at a time,
// each question once.
func (r Reader) Searched(
	ctx context.Context, environmentID, transactionID string, restored time.Time,
) ([]payment.Asked, error) {
	found, err := core.Queries.ProviderCallListSearched(ctx, r.Handle, dbsqlc.ProviderCallListSearchedParams{
		EnvironmentID: environmentID, TransactionID: transactionID, SearchedSince: core.NullTime(restored),
	})
	return core.Map(found, func(f dbsqlc.ProviderCallListSearchedRow) payment.Asked {
		return payment.Asked{
			Question: payment.Question{AccountID: f.SearchedConfigID, Number: f.SendNumber},
			Absent:   f.Absent, Ended: f.Ended, At: f.AskedAt,
		}
	}), core.Translate("ProviderCallListSearched", err)
}

// CutOffProviderCalls writes that calls of a transaction without an end were cut off: a callback has proven what came
// of them, and no other call may ever follow.
func (tx *Tx) CutOffProviderCalls(ctx context.Context, environmentID, transactionID string, at time.Time) error {
	return core.Queries.ProviderCallCutOff(ctx, tx.Pipe, dbsqlc.ProviderCallCutOffParams{
		EnvironmentID: environmentID, TransactionID: transactionID, EndedAt: core.NullTime(at),
	})
}

// FinishProviderCall writes the result of a call, and that other calls of the transaction without an end were cut off.
// Fault: provider_call_not_found, when there is none or it has ended.
func (tx *Tx) FinishProviderCall(ctx context.Context, environmentID string, c ProviderCall) error {
	return core.Queries.ProviderCallFinish(ctx, tx.Pipe.OrElse(core.NotFound("provider_call")),
		dbsqlc.ProviderCallFinishParams{
			ID: c.ID, EnvironmentID: environmentID, TransactionID: c.TransactionID, Outcome: core.Null(c.Outcome),
			HttpStatus: core.Null(c.HTTPStatus), Response: c.Response, EndedAt: core.NullTime(c.EndedAt),
		})
}
