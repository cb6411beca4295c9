package emails

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/email"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Sender sends an environment's mails. What is sealed is so with the app's keyset, which comes along, wrapped by the
// key-encryption key.
type Sender struct {
	ID            string
	EnvironmentID string // read only
	AppID         string // read only
	Mode          string // read only: "test" or "live"
	Keyset        []byte // read only

	FromEmail, FromName string
	ReplyTo             string // empty: the sender
	Host                string
	Port                int
	Security            string
	User                string // empty: no login
	PasswordSealed      []byte
	DKIMDomain          string // empty: mails are not signed
	DKIMSelector        string
	DKIMKeySealed       []byte
	Kinds               []email.Kind
	Allowed             email.Allowed // of a test environment

	FailingSince time.Time // read only; zero: the mail server works, or was not asked
	FailureClass string    // read only
	FailureText  string    // read only: the mail server's words
	DeletedAt    time.Time
	Revision     int64 // read only
	CreatedAt    time.Time
	UpdatedAt    time.Time // read only
}

// Sender reads that of an environment. Fault: email_settings_not_found.
func (r Reader) Sender(ctx context.Context, environmentID string) (Sender, error) {
	row, err := core.Queries.EmailSenderGet(ctx, r.Handle, environmentID)
	return senderFromDB(row), senderError(err)
}

// senderError is core.ReadError, in the words of who asks for settings.
func senderError(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return core.ErrEmailSettingsNotFound
	}
	return core.ReadError("email_sender", err)
}

// LockEnvironment keeps every other change of the environment's sender waiting until the transaction ends.
func (tx *Tx) LockEnvironment(ctx context.Context, environmentID string) (appID, mode string, err error) {
	row, err := core.Queries.EmailSenderLockEnvironment(ctx, tx.Pipe, environmentID)
	return row.AppID, row.Mode, core.ReadError("environment", err)
}

// InsertSender writes that of an environment without one.
func (tx *Tx) InsertSender(ctx context.Context, environmentID string, s Sender) error {
	tx.WakeEmailSender(environmentID)
	return core.Queries.EmailSenderInsert(ctx, tx.Pipe, dbsqlc.EmailSenderInsertParams{
		EnvironmentID: environmentID, ID: s.ID, FromEmail: s.FromEmail, FromName: s.FromName, ReplyTo: s.ReplyTo,
		Host: s.Host,
		Port: s.Port, Security: s.Security, UserName: s.User, PasswordSealed: s.PasswordSealed, DkimDomain: s.DKIMDomain,
		DkimSelector: s.DKIMSelector, DkimKeySealed: s.DKIMKeySealed, Kinds: kindsToDB(s.Kinds),
		AllowedRecipients: core.PresentList([]string(s.Allowed)), CreatedAt: tx.Real,
	})
}

// SaveSender writes the fields that may change, and wakes the sender's workflow, which cancels the mails of one that
// was deleted. The environment is locked.
func (tx *Tx) SaveSender(ctx context.Context, environmentID string, s Sender) error {
	tx.AfterCommit(core.WakeSender{EnvironmentID: environmentID, ID: s.ID})
	return core.Queries.EmailSenderUpdate(ctx, tx.Pipe, dbsqlc.EmailSenderUpdateParams{
		EnvironmentID: environmentID, ID: s.ID, FromEmail: s.FromEmail, FromName: s.FromName, ReplyTo: s.ReplyTo,
		Host: s.Host,
		Port: s.Port, Security: s.Security, UserName: s.User, PasswordSealed: s.PasswordSealed, DkimDomain: s.DKIMDomain,
		DkimSelector: s.DKIMSelector, DkimKeySealed: s.DKIMKeySealed, Kinds: kindsToDB(s.Kinds),
		AllowedRecipients: core.PresentList([]string(s.Allowed)), DeletedAt: core.NullTime(s.DeletedAt), Now: tx.Real,
	})
}

// BeginSending reads a sender, even a deleted one, for its mails, and clears the mark that it is being woken. Later
// mails mark it again. Fault: email_settings_not_found.
func (tx *Tx) BeginSending(ctx context.Context, environmentID, id string) (Sender, error) {
	err := core.Queries.EmailSenderClearWakePending(ctx, tx.Pipe, dbsqlc.EmailSenderClearWakePendingParams{
		EnvironmentID: environmentID, ID: id, Now: &tx.Real,
	})
	if err != nil {
		return Sender{}, err
	}
	row, err := core.Queries.EmailSenderGetToSend(ctx, tx.Pipe,
		dbsqlc.EmailSenderGetToSendParams{EnvironmentID: environmentID, ID: id})
	return senderFromDB(dbsqlc.EmailSenderGetRow(row)), senderError(err)
}

// SetSenderNextAttempt says when the sender's workflow has something to do; zero: when it is woken.
func (tx *Tx) SetSenderNextAttempt(ctx context.Context, environmentID, id string, at time.Time) error {
	return core.Queries.EmailSenderSetNextAttempt(ctx, tx.Pipe, dbsqlc.EmailSenderSetNextAttemptParams{
		EnvironmentID: environmentID, ID: id, NextAttemptAt: core.NullTime(at),
	})
}

// SenderFailure is how a mail server fails for all mails alike.
type SenderFailure struct{ Class, Text string }

// SetSenderFailing notes that the server of a sender fails, unless the sender was changed since it was read.
func (tx *Tx) SetSenderFailing(ctx context.Context, s Sender, f SenderFailure) error {
	return core.Queries.EmailSenderSetFailing(ctx, tx.Pipe, dbsqlc.EmailSenderSetFailingParams{
		EnvironmentID: s.EnvironmentID, ID: s.ID, FailingSince: &tx.Real, FailureClass: &f.Class, FailureText: &f.Text,
		Revision: s.Revision,
	})
}

// SetSenderWorking notes that the server of a sender takes mail.
func (tx *Tx) SetSenderWorking(ctx context.Context, environmentID, id string) error {
	return core.Queries.EmailSenderSetWorking(ctx, tx.Pipe,
		dbsqlc.EmailSenderSetWorkingParams{EnvironmentID: environmentID, ID: id})
}

func kindsToDB(kinds []email.Kind) []string {
	return core.Map(core.PresentList(kinds), func(k email.Kind) string { return string(k) })
}

func senderFromDB(row dbsqlc.EmailSenderGetRow) Sender {
	s := row.EmailSender
	return Sender{
		ID: s.ID, EnvironmentID: s.EnvironmentID, AppID: row.AppID, Mode: row.Mode, Keyset: row.Keyset,
		FromEmail: s.FromEmail, FromName: s.FromName, ReplyTo: s.ReplyTo,
		Host: s.Host, Port: s.Port, Security: s.Security,
		User: s.UserName, PasswordSealed: s.PasswordSealed, DKIMDomain: s.DkimDomain, DKIMSelector: s.DkimSelector,
		DKIMKeySealed: s.DkimKeySealed, Kinds: core.Map(s.Kinds, func(k string) email.Kind { return email.Kind(k) }),
		Allowed: s.AllowedRecipients, FailingSince: core.Value(s.FailingSince), FailureClass: core.Value(s.FailureClass),
		FailureText: core.Value(s.FailureText), DeletedAt: core.Value(s.DeletedAt), Revision: s.Revision,
		CreatedAt: s.CreatedAt,
		UpdatedAt: s.UpdatedAt,
	}
}
