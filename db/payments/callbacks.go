package payments

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Callback is a verified message from a provider: stored first, then signalled to the workflow of the transaction.
type Callback struct {
	ID               string
	ProviderConfigID string
	ProviderEventID  string // the provider's own: a repeat of the message has the same
	Type             string
	Kind             payment.MessageKind
	TransactionID    string // empty: not known by it (yet)
	ProviderRef      string // empty: the message carries none
	Key              string // of the send; empty: the message carries none
	ReceivedAt       time.Time
	// Evidence is the proof in the message itself; nil: none. Its Response is not stored.
	Evidence *answer.Answer
	NeedsRef bool // the Evidence counts only once the transaction's ProviderRef is known
	// LostTransactionID is an id of ours that the message carries and that no environment has; empty: none.
	LostTransactionID string
	// Processed reports that the message says nothing new, so that storing it is all there is to do.
	Processed bool
}

// InsertCallback stores one, unless the provider sent it before: false. One that names neither a transaction nor
// anything that could become one is dealt with by being stored. Fault: transaction_not_found.
func (tx *Tx) InsertCallback(ctx context.Context, environmentID string, c Callback) (bool, error) {
	var processed time.Time
	if c.Processed || c.TransactionID == "" && c.ProviderRef == "" && c.LostTransactionID == "" {
		processed = tx.Real
	}
	params := dbsqlc.CallbackInsertParams{
		ID: c.ID, EnvironmentID: environmentID, ProviderConfigID: c.ProviderConfigID, ProviderEventID: c.ProviderEventID,
		Type: c.Type, TransactionID: core.Null(c.TransactionID), ProviderRef: c.ProviderRef, ReceivedAt: c.ReceivedAt,
		ProcessedAt: core.NullTime(processed), Kind: string(c.Kind), LostTransactionID: core.Null(c.LostTransactionID),
		Key: c.Key,
	}
	if e := c.Evidence; e != nil {
		params.EvidenceOutcome, params.EvidenceRef = core.Null(string(e.Outcome)), core.Null(e.Ref)
		params.EvidenceAmount, params.EvidenceCurrency = core.Null(int64(e.Amount)), core.Null(string(e.Currency))
		params.EvidenceFailureCode, params.EvidenceSince = core.Null(string(e.FailureCode)), sinceToDB(*e)
		params.EvidenceNeedsRef = c.NeedsRef
		if processed.IsZero() { // else it will not be read
			params.EvidenceFailureReason = core.Null(e.FailureReason)
		}
	}
	_, err := core.Queries.CallbackInsert(ctx, tx.Pipe, params)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, core.Translate("CallbackInsert", err)
}

// CallbackRef is the provider's name for the transaction's operation in its open callbacks; empty:
// there is none. One that is not known goes first: the provider may have performed the operation twice.
func (r Reader) CallbackRef(
	ctx context.Context, environmentID, transactionID, providerConfigID, known string,
) (string, error) {
	ref, err := core.Queries.CallbackGetRef(ctx, r.Handle, dbsqlc.CallbackGetRefParams{
		EnvironmentID: environmentID, TransactionID: transactionID, ProviderConfigID: providerConfigID, Known: known,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return ref, core.Translate("CallbackGetRef", err)
}

// LookedAt is the extent of a look-up at the provider: the operations of these references, up to the time it began. A
// callback without a reference has the empty one. The zero value is no look-up.
type LookedAt struct {
	Refs []string
	At   time.Time
	// Asked: the provider answered. Else callbacks with evidence stay open, each until it is believed.
	Asked bool
}

// MarkCallbacksProcessed marks callbacks of a transaction that have nothing new to say: those that a look-up covered,
// and, whenever they were received, those that say what the transaction shows.
func (tx *Tx) MarkCallbacksProcessed(
	ctx context.Context, environmentID, transactionID string, looked LookedAt, shows ...payment.MessageKind,
) error {
	if len(looked.Refs) == 0 && len(shows) == 0 {
		return nil
	}
	shown := make([]string, len(shows))
	for i, kind := range shows {
		shown[i] = string(kind)
	}
	return core.Queries.CallbackMarkProcessed(ctx, tx.Pipe, dbsqlc.CallbackMarkProcessedParams{
		EnvironmentID: environmentID, TransactionID: transactionID, ReceivedBefore: looked.At,
		LookedAt: core.PresentList(looked.Refs), ProcessedAt: &tx.Real, Shown: shown, Asked: looked.Asked,
	})
}

// ClaimCallbacks assigns open callbacks received after since that named an unknown reference to the transactions that
// have it now, and those about lost transactions, of any age, to the transactions that were made again. Global: the
// reconciler's.
func (tx *Tx) ClaimCallbacks(ctx context.Context, since time.Time) error {
	if err := core.Queries.CallbackClaimLost(ctx, tx.Pipe); err != nil {
		return core.Translate("CallbackClaimLost", err)
	}
	return core.Queries.CallbackClaim(ctx, tx.Pipe, since)
}

// LostCallback is a callback about a transaction of ours that no environment has: a restored database has lost it.
type LostCallback struct {
	EnvironmentID, ID string
	TransactionID     string
	ProviderConfigID  string
	ProviderRef       string
	Type              string
	ReceivedAt        time.Time
}

// LostCallbacks lists them, the oldest first, until their transactions are known or an operator closes them. Global.
func (r Reader) LostCallbacks(ctx context.Context, limit int) ([]LostCallback, error) {
	found, err := core.Queries.CallbackListLost(ctx, r.Handle, core.RowLimit(limit))
	return core.Map(found, func(f dbsqlc.CallbackListLostRow) LostCallback {
		return LostCallback(f)
	}), core.Translate("CallbackListLost", err)
}

// TransactionIsKnown reports whether any environment has a transaction of this id. Global: accounts at a provider may
// be shared by environments.
func (r Reader) TransactionIsKnown(ctx context.Context, id string) (bool, error) {
	known, err := core.Queries.TransactionIsKnown(ctx, r.Handle, id)
	return known, core.Translate("TransactionIsKnown", err)
}

// GivenUp counts callbacks that were given up: of no transaction of ours, and of one for which the provider never
// answered.
type GivenUp struct{ Unclaimed, Unanswered int }

// GiveUpCallbacks closes at most limit callbacks that no transaction has claimed and that were received before a time,
// of those of our transactions before ours, and of lost transactions before lost. Global: the reconciler's.
func (tx *Tx) GiveUpCallbacks(ctx context.Context, before, ours, lost time.Time, limit int) (GivenUp, error) {
	row, err := core.Queries.CallbackGiveUp(ctx, tx.Pipe, dbsqlc.CallbackGiveUpParams{
		Before: before, OursBefore: ours, LostBefore: lost, RowLimit: limit, ProcessedAt: tx.Real,
	})
	return GivenUp(row), core.Translate("CallbackGiveUp", err)
}

// PurgeCallbacks deletes at most limit processed ones received before then, and says how many. Global: retention.
func (tx *Tx) PurgeCallbacks(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := core.Queries.CallbackPurge(ctx, tx.Pipe,
		dbsqlc.CallbackPurgeParams{Before: before, RowLimit: core.RowLimit(limit)})
	return n, core.Translate("CallbackPurge", err)
}
