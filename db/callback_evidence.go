package db

import (
	"context"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db/internal/dbsqlc"
)

// Evidence is what open callbacks of a provider configuration prove about a transaction, in the order in which it is believed, at most limit of
// them. Each is an answer of its own; see Callback.Evidence.
func (r Reader) Evidence(
	ctx context.Context, environmentID, transactionID, providerConfigID string, typ payment.Type, limit int,
) ([]Callback, error) {
	rows, err := queries.CallbackListEvidence(ctx, r.handle, dbsqlc.CallbackListEvidenceParams{
		EnvironmentID: environmentID, TransactionID: transactionID, ProviderConfigID: providerConfigID, Type: string(typ), RowLimit: rows(limit),
	})
	return refs(rows, func(row dbsqlc.CallbackListEvidenceRow) Callback {
		c := row.ProviderCallback
		return Callback{
			ID: c.ID, ProviderConfigID: c.ProviderConfigID, ProviderEventID: c.ProviderEventID, Type: c.Type,
			Kind: payment.MessageKind(c.Kind), TransactionID: transactionID, ProviderRef: c.ProviderRef, Key: c.Key,
			ReceivedAt: c.ReceivedAt,
			Evidence: &payment.Answer{
				Outcome: payment.Outcome(value(c.EvidenceOutcome)), Ref: value(c.EvidenceRef),
				Amount: money.Minor(value(c.EvidenceAmount)), Currency: money.Currency(value(c.EvidenceCurrency)),
				FailureCode: value(c.EvidenceFailureCode), FailureReason: value(c.EvidenceFailureReason),
			},
		}
	}), translate("CallbackListEvidence", err)
}

// MarkCallbackProcessed marks one callback whose evidence is booked.
func (tx *Tx) MarkCallbackProcessed(ctx context.Context, environmentID, id string) error {
	return queries.CallbackSetProcessed(ctx, tx.pipe, dbsqlc.CallbackSetProcessedParams{
		EnvironmentID: environmentID, ID: id, ProcessedAt: &tx.Real,
	})
}
