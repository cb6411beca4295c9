package db

import (
	"context"
	"time"

	"perennial/billing/payment"
	"perennial/db/internal/dbsqlc"
)

// Dispute is one with the charge that it is about.
type Dispute struct {
	payment.Dispute
	Charge payment.Transaction
}

// DisputeFilter narrows a list; empty: any.
type DisputeFilter struct {
	CustomerID string
	ChargeID   string
	Status     payment.DisputeState
	OpenedFrom time.Time // this or later; zero: any
	OpenedTo   time.Time // before this; zero: any
}

// DisputeWithKey reads key and dispute in one round trip. Faults: api_key_unknown; dispute_not_found, with the key.
func (r Reader) DisputeWithKey(ctx context.Context, hash []byte, id string) (APIKey, Dispute, error) {
	row, err := queries.DisputeGetWithKey(ctx, r.handle, dbsqlc.DisputeGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "dispute", err)
		return key, Dispute{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), disputeFromDB(row.Dispute, row.Transaction), nil
}

// Disputes lists an environment's.
func (r Reader) Disputes(
	ctx context.Context, environmentID string, f DisputeFilter, page Page,
) (disputes []Dispute, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.DisputeList(ctx, r.lists(), dbsqlc.DisputeListParams{
		EnvironmentID: environmentID, TransactionID: null(f.ChargeID), CustomerID: null(f.CustomerID),
		Status: null(string(f.Status)), OpenedFrom: nullTime(f.OpenedFrom), OpenedTo: nullTime(f.OpenedTo),
		Below: span.below, Above: span.above, Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("DisputeList", err)
	}
	disputes, hasMore = cut(page, rows, func(row dbsqlc.DisputeListRow) Dispute {
		return disputeFromDB(row.Dispute, row.Transaction)
	})
	return disputes, hasMore, nil
}

// UnansweredDispute is one that can be answered until DueAt; zero: unknown.
type UnansweredDispute struct {
	Ref
	ChargeID string
	DueAt    time.Time
}

// UnansweredDisputes lists open disputes, the one that must be answered first at the front. Global.
func (r Reader) UnansweredDisputes(ctx context.Context, limit int) ([]UnansweredDispute, error) {
	found, err := queries.DisputeListUnanswered(ctx, r.handle, rowLimit(limit))
	return refs(found, func(f dbsqlc.DisputeListUnansweredRow) UnansweredDispute {
		return UnansweredDispute{Ref{f.EnvironmentID, f.ID}, f.TransactionID, value(f.EvidenceDueAt)}
	}), translate("DisputeListUnanswered", err)
}

// saveDisputes writes those of a charge beside its row.
func (tx *Tx) saveDisputes(ctx context.Context, environmentID string, charge payment.Transaction) error {
	for _, d := range charge.Disputes {
		err := queries.DisputeSave(ctx, tx.pipe, dbsqlc.DisputeSaveParams{
			ID: d.ID, EnvironmentID: environmentID, TransactionID: charge.ID, Ref: d.Ref, Status: d.State,
			Stage: null(d.Stage), Reason: null(d.Reason), Amount: d.Amount, Currency: d.Currency,
			AmountWithdrawn: d.Withdrawn, EvidenceDueAt: nullTime(d.EvidenceDueAt), OpenedAt: d.OpenedAt,
			ClosedAt: nullTime(d.ClosedAt),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// disputeFromDB is what readers see of a dispute; how its money is booked is known to its charge only.
func disputeFromDB(d dbsqlc.Dispute, charge dbsqlc.Transaction) Dispute {
	return Dispute{
		Dispute: payment.Dispute{
			ID: d.ID, Ref: d.Ref, State: d.Status, Stage: value(d.Stage), Reason: value(d.Reason), Amount: d.Amount,
			Currency: d.Currency, Withdrawn: d.AmountWithdrawn, EvidenceDueAt: value(d.EvidenceDueAt), OpenedAt: d.OpenedAt,
			ClosedAt: value(d.ClosedAt),
		},
		Charge: transactionFromDB(charge),
	}
}
