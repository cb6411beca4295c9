package payments

import (
	"context"
	"time"

	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/db/core"
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
	Status     answer.DisputeState
	OpenedFrom time.Time // this or later; zero: any
	OpenedTo   time.Time // before this; zero: any
}

// DisputeWithKey reads key and dispute in one round trip. Faults: api_key_unknown; dispute_not_found, with the key.
func (r Reader) DisputeWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, Dispute, error) {
	row, err := core.Queries.DisputeGetWithKey(ctx, r.Handle, dbsqlc.DisputeGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "dispute", err)
		return key, Dispute{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), disputeFromDB(row.Dispute, row.Transaction), nil
}

// Disputes lists an environment's.
func (r Reader) Disputes(
	ctx context.Context, environmentID string, f DisputeFilter, page core.Page,
) (disputes []Dispute, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.DisputeList(ctx, r.Lists(), dbsqlc.DisputeListParams{
		EnvironmentID: environmentID, TransactionID: core.Null(f.ChargeID), CustomerID: core.Null(f.CustomerID),
		Status: core.Null(string(f.Status)), OpenedFrom: core.NullTime(f.OpenedFrom), OpenedTo: core.NullTime(f.OpenedTo),
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("DisputeList", err)
	}
	disputes, hasMore = core.Cut(page, rows, func(row dbsqlc.DisputeListRow) Dispute {
		return disputeFromDB(row.Dispute, row.Transaction)
	})
	return disputes, hasMore, nil
}

// UnansweredDispute is a dispute that can be answered until DueAt; zero: unknown.
type UnansweredDispute struct {
	core.Ref
	ChargeID string
	DueAt    time.Time
}

// UnansweredDisputes lists open disputes, sorted by the time by which they must be answered. Global.
func (r Reader) UnansweredDisputes(ctx context.Context, limit int) ([]UnansweredDispute, error) {
	found, err := core.Queries.DisputeListUnanswered(ctx, r.Handle, core.RowLimit(limit))
	return core.Map(found, func(f dbsqlc.DisputeListUnansweredRow) UnansweredDispute {
		return UnansweredDispute{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, f.TransactionID,
			core.Value(f.EvidenceDueAt)}
	}), core.Translate("DisputeListUnanswered", err)
}

// saveDisputes writes the dispute rows of a charge, in addition to its own row.
func (tx *Tx) saveDisputes(ctx context.Context, environmentID string, charge payment.Transaction) error {
	for _, d := range charge.Disputes {
		err := core.Queries.DisputeSave(ctx, tx.Pipe, dbsqlc.DisputeSaveParams{
			ID: d.ID, EnvironmentID: environmentID, TransactionID: charge.ID, Ref: d.Ref, Status: d.State,
			Stage: core.Null(d.Stage), Reason: core.Null(d.Reason), Amount: d.Amount, Currency: d.Currency,
			AmountWithdrawn: d.Withdrawn, EvidenceDueAt: core.NullTime(d.EvidenceDueAt), OpenedAt: d.OpenedAt,
			ClosedAt: core.NullTime(d.ClosedAt),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// disputeFromDB returns what readers see of a dispute; how its money is booked is known to its charge only.
func disputeFromDB(d dbsqlc.Dispute, charge dbsqlc.Transaction) Dispute {
	return Dispute{
		Dispute: payment.Dispute{
			ID: d.ID,
			Dispute: answer.Dispute{
				Ref: d.Ref, State: d.Status, Stage: core.Value(d.Stage), Reason: core.Value(d.Reason), Amount: d.Amount,
				Currency: d.Currency, Withdrawn: d.AmountWithdrawn, EvidenceDueAt: core.Value(d.EvidenceDueAt),
			},
			OpenedAt: d.OpenedAt, ClosedAt: core.Value(d.ClosedAt),
		},
		Charge: TransactionFromDB(charge),
	}
}
