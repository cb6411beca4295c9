package payments

import (
	"context"
	"encoding/json"
	"fmt"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Evidence returns what open callbacks of a provider configuration prove about a transaction, in the order in which it
// is believed, at most limit of them. Each is an answer of its own; see Callback.Evidence. named: also what counts only
// once the provider's reference of the transaction is known.
func (r Reader) Evidence(
	ctx context.Context, environmentID, transactionID, providerConfigID string, typ payment.Type, named bool, limit int,
) ([]Callback, error) {
	rows, err := core.Queries.CallbackListEvidence(ctx, r.Handle, dbsqlc.CallbackListEvidenceParams{
		EnvironmentID: environmentID, TransactionID: transactionID, ProviderConfigID: providerConfigID, Type: string(typ),
		Named: named, RowLimit: core.RowLimit(limit),
	})
	return core.Map(rows, func(row dbsqlc.CallbackListEvidenceRow) Callback {
		c := row.ProviderCallback
		refunds, disputes := sinceFromDB(c.EvidenceSince)
		return Callback{
			ID: c.ID, ProviderConfigID: c.ProviderConfigID, ProviderEventID: c.ProviderEventID, Type: c.Type,
			Kind: payment.MessageKind(c.Kind), TransactionID: transactionID, ProviderRef: c.ProviderRef, Key: c.Key,
			ReceivedAt: c.ReceivedAt, NeedsRef: c.EvidenceNeedsRef,
			Evidence: &answer.Answer{
				Outcome: answer.Outcome(core.Value(c.EvidenceOutcome)), Ref: core.Value(c.EvidenceRef),
				Amount: money.Minor(core.Value(c.EvidenceAmount)), Currency: money.Currency(core.Value(c.EvidenceCurrency)),
				FailureCode:   answer.FailureCode(core.Value(c.EvidenceFailureCode)),
				FailureReason: core.Value(c.EvidenceFailureReason),
				Refunds:       refunds, Disputes: disputes,
			},
		}
	}), core.Translate("CallbackListEvidence", err)
}

// FailedOperations returns the references of the operations that messages about a transaction said failed.
func (r Reader) FailedOperations(
	ctx context.Context, environmentID, transactionID, providerConfigID string,
) ([]string, error) {
	refs, err := core.Queries.CallbackListFailed(ctx, r.Handle, dbsqlc.CallbackListFailedParams{
		EnvironmentID: environmentID, TransactionID: transactionID, ProviderConfigID: providerConfigID,
	})
	return refs, core.Translate("CallbackListFailed", err)
}

// MarkCallbackProcessed marks one callback whose evidence is booked.
func (tx *Tx) MarkCallbackProcessed(ctx context.Context, environmentID, id string) error {
	return core.Queries.CallbackSetProcessed(ctx, tx.Pipe, dbsqlc.CallbackSetProcessedParams{
		EnvironmentID: environmentID, ID: id, ProcessedAt: &tx.Real,
	})
}

// storedSince is the column with a callback's evidence about refunds and disputes of a charge.
type storedSince struct {
	Refunds  []answer.Refund  `json:"refunds,omitempty"`
	Disputes []answer.Dispute `json:"disputes,omitempty"`
}

// sinceToDB is null where the evidence is about neither.
func sinceToDB(e answer.Answer) []byte {
	if len(e.Refunds) == 0 && len(e.Disputes) == 0 {
		return nil
	}
	raw, err := json.Marshal(storedSince{e.Refunds, e.Disputes})
	if err != nil {
		panic(fmt.Errorf("db: the evidence of a callback: %w", err)) // texts, numbers and times only
	}
	return raw
}

func sinceFromDB(raw []byte) (refunds []answer.Refund, disputes []answer.Dispute) {
	var stored storedSince
	if raw == nil || json.Unmarshal(raw, &stored) != nil {
		return nil, nil
	}
	return stored.Refunds, stored.Disputes
}
