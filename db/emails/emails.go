package emails

import (
	"context"
	"time"

	"perennial/billing/email"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Email is one mail to one recipient.
type Email struct {
	ID            string
	EnvironmentID string // read only
	Kind          email.Kind
	ObjectID      string // what it tells of
	Occurrence    string
	CustomerID    string
	EventID       string // empty: it was asked for
	Recipient     string // empty: erased
	Content
	Status        email.Status
	Reason        email.Reason // empty: it is pending or sent
	Attempts      int          // those that used one up
	Log           email.Attempts
	NextAttemptAt time.Time // zero: it is not pending
	SentAt        time.Time
	ErasedAt      time.Time // read only
	CreatedAt     time.Time // real
}

// Content is what a mail says. It is empty until the first attempt, and once it is erased. Lists have no bodies.
type Content struct{ Language, Subject, Text, HTML string }

// Filter narrows a list; empty: any.
type Filter struct {
	CustomerID, ObjectID string
	Kind                 email.Kind
	Status               email.Status
}

// Email reads one. Fault: email_not_found.
func (r Reader) Email(ctx context.Context, environmentID, id string) (Email, error) {
	row, err := core.Queries.EmailGet(ctx, r.Handle, dbsqlc.EmailGetParams{EnvironmentID: environmentID, ID: id})
	return emailFromDB(row.Email), core.ReadError("email", err)
}

// EmailWithKey reads key and mail in one round trip. Faults: api_key_unknown; email_not_found, with the key.
func (r Reader) EmailWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, Email, error) {
	row, err := core.Queries.EmailGetWithKey(ctx, r.Handle, dbsqlc.EmailGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "email", err)
		return key, Email{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), emailFromDB(row.Email), nil
}

// List lists an environment's, without their bodies.
func (r Reader) List(
	ctx context.Context, environmentID string, f Filter, page core.Page,
) (emails []Email, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.EmailList(ctx, r.Lists(), dbsqlc.EmailListParams{
		EnvironmentID: environmentID, CustomerID: core.Null(f.CustomerID), ObjectID: core.Null(f.ObjectID),
		Kind: core.Null(string(f.Kind)), Status: core.Null(string(f.Status)),
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("EmailList", err)
	}
	emails, hasMore = core.Cut(page, rows, func(m dbsqlc.EmailListRow) Email {
		return emailFromDB(dbsqlc.Email{
			ID: m.ID, EnvironmentID: environmentID, Kind: m.Kind, ObjectID: m.ObjectID, CustomerID: m.CustomerID,
			EventID:   m.EventID,
			Recipient: m.Recipient, Status: m.Status, Reason: m.Reason, Language: m.Language, Subject: m.Subject,
			Attempts: m.Attempts, Log: m.Log, NextAttemptAt: m.NextAttemptAt, SentAt: m.SentAt, ErasedAt: m.ErasedAt,
			CreatedAt: m.CreatedAt,
		})
	})
	return emails, hasMore, nil
}

// Due lists the ids of pending mails that are due, those that have waited longest first.
func (r Reader) Due(ctx context.Context, environmentID string, at time.Time, limit int) ([]string, error) {
	ids, err := core.Queries.EmailListDue(ctx, r.Lists(),
		dbsqlc.EmailListDueParams{EnvironmentID: environmentID, Now: &at, RowLimit: core.RowLimit(limit)})
	return ids, core.Translate("EmailListDue", err)
}

// never is later than any time at which a mail is due.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Waiting returns when the next mail is due, zero where none is pending, and how many are, up to 1,000.
func (r Reader) Waiting(ctx context.Context, environmentID string) (next time.Time, waiting int, err error) {
	row, err := core.Queries.EmailNextDue(ctx, r.Handle, dbsqlc.EmailNextDueParams{
		EnvironmentID: environmentID, Never: never, AtMost: core.BacklogAtMost,
	})
	if err != nil || row.NextAt.Equal(never) {
		return time.Time{}, 0, core.Translate("EmailNextDue", err)
	}
	return row.NextAt, row.Waiting, nil
}

// Lock reads a mail and locks it until this transaction ends. Fault: email_not_found.
func (tx *Tx) Lock(ctx context.Context, environmentID, id string) (Email, error) {
	row, err := core.Queries.EmailLock(ctx, tx.Pipe, dbsqlc.EmailLockParams{EnvironmentID: environmentID, ID: id})
	return emailFromDB(row.Email), core.ReadError("email", err)
}

// Insert writes a mail that was asked for, without content and due now, and wakes the environment's sender. Fault:
// customer_not_found, also for one that was erased.
func (tx *Tx) Insert(ctx context.Context, environmentID string, m Email) error {
	tx.WakeEmailSender(environmentID)
	return core.Queries.EmailInsert(ctx, tx.Pipe.OrElse(core.NotFound("customer")), dbsqlc.EmailInsertParams{
		EnvironmentID: environmentID, ID: m.ID, Kind: string(m.Kind), ObjectID: m.ObjectID, Occurrence: m.Occurrence,
		CustomerID: m.CustomerID, EventID: core.Null(m.EventID), Recipient: m.Recipient, CreatedAt: tx.Real,
	})
}

// Save writes what may change of a mail that is locked.
func (tx *Tx) Save(ctx context.Context, environmentID string, m Email) error {
	return core.Queries.EmailUpdate(ctx, tx.Pipe, dbsqlc.EmailUpdateParams{
		EnvironmentID: environmentID, ID: m.ID, Status: string(m.Status), Reason: core.Null(string(m.Reason)),
		Language: core.Null(m.Language), Subject: core.Null(m.Subject), BodyText: core.Null(m.Text),
		BodyHtml: core.Null(m.HTML),
		Attempts: m.Attempts, Log: core.PresentList(m.Log), NextAttemptAt: core.NullTime(m.NextAttemptAt),
		SentAt: core.NullTime(m.SentAt),
	})
}

// Hasten makes pending mails due that wait for their next attempt.
func (tx *Tx) Hasten(ctx context.Context, environmentID string) error {
	return core.Queries.EmailHasten(ctx, tx.Pipe, dbsqlc.EmailHastenParams{EnvironmentID: environmentID, Now: &tx.Real})
}

// Cancel ends at most limit of the pending mails of an environment without a sender, and counts them.
func (tx *Tx) Cancel(ctx context.Context, environmentID string, limit int) (int, error) {
	n, err := core.Queries.EmailCancel(ctx, tx.Pipe,
		dbsqlc.EmailCancelParams{EnvironmentID: environmentID, RowLimit: core.RowLimit(limit)})
	return n, core.Translate("EmailCancel", err)
}

// Purge deletes at most limit mails that were written before a time and are not pending, and counts them.
func (tx *Tx) Purge(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := core.Queries.EmailPurge(ctx, tx.Pipe,
		dbsqlc.EmailPurgeParams{Before: before, RowLimit: core.RowLimit(limit)})
	return n, core.Translate("EmailPurge", err)
}

func emailFromDB(m dbsqlc.Email) Email {
	return Email{
		ID: m.ID, EnvironmentID: m.EnvironmentID, Kind: email.Kind(m.Kind), ObjectID: m.ObjectID, Occurrence: m.Occurrence,
		CustomerID: m.CustomerID, EventID: core.Value(m.EventID), Recipient: core.Value(m.Recipient),
		Content: Content{
			Language: core.Value(m.Language), Subject: core.Value(m.Subject), Text: core.Value(m.BodyText),
			HTML: core.Value(m.BodyHtml),
		},
		Status: email.Status(m.Status), Reason: email.Reason(core.Value(m.Reason)), Attempts: m.Attempts, Log: m.Log,
		NextAttemptAt: core.Value(m.NextAttemptAt), SentAt: core.Value(m.SentAt), ErasedAt: core.Value(m.ErasedAt),
		CreatedAt: m.CreatedAt,
	}
}
