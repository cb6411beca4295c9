package db

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/db/internal/dbsqlc"
)

// Command is one that a subscription has performed, or refused for good, with its outcome: a repeat finds it.
type Command struct {
	ID             string
	SubscriptionID string
	Name           string
	Outcome        json.RawMessage
}

// CommandOutcome is what came of a command; false: it was not performed. Under the subscription's lock it is final.
func (r Reader) CommandOutcome(ctx context.Context, environmentID, id string) (json.RawMessage, bool, error) {
	outcome, err := queries.CommandGetOutcome(ctx, r.handle, dbsqlc.CommandGetOutcomeParams{EnvironmentID: environmentID, ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return outcome, err == nil, translate("CommandGetOutcome", err)
}

// InsertCommand remembers one, in the transaction that performs it. Fault: command_performed.
func (tx *Tx) InsertCommand(ctx context.Context, environmentID string, c Command) error {
	return queries.CommandInsert(ctx, tx.pipe, dbsqlc.CommandInsertParams{
		EnvironmentID: environmentID, ID: c.ID, SubscriptionID: c.SubscriptionID, Name: c.Name, Outcome: c.Outcome, CreatedAt: tx.Real,
	})
}

// InsertCommandText keeps what a person wrote into a command, beside it, unless the customer is erased. It may be
// repeated.
func (tx *Tx) InsertCommandText(ctx context.Context, environmentID, commandID, customerID, text string) error {
	return queries.CommandTextInsert(ctx, tx.pipe, dbsqlc.CommandTextInsertParams{
		EnvironmentID: environmentID, CommandID: commandID, CustomerID: customerID, Text: text, CreatedAt: tx.Real,
	})
}

// CommandText is what a person wrote into a command; empty: nothing, or it was erased.
func (r Reader) CommandText(ctx context.Context, environmentID, commandID string) (string, error) {
	text, err := queries.CommandTextGet(ctx, r.handle, dbsqlc.CommandTextGetParams{EnvironmentID: environmentID, CommandID: commandID})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return text, translate("CommandTextGet", err)
}

// PurgeCommands deletes at most limit commands, and texts, that are older than before, and says how many. Global: retention.
func (tx *Tx) PurgeCommands(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := queries.CommandPurge(ctx, tx.pipe, dbsqlc.CommandPurgeParams{Before: before, RowLimit: rows(limit)})
	return n, translate("CommandPurge", err)
}
