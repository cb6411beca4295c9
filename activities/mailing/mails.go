// Package mailing sends mails to customers. An attempt is written before a mail is handed over, and recorded after it.
// billing/email decides when the next attempt is due and to whom a mail may go, documents/letters what it says, and
// mail what goes over the wire.
package mailing

import (
	"context"
	"errors"
	"sync"
	"time"

	"perennial/activities/execution"
	"perennial/billing/email"
	"perennial/contract"
	"perennial/db"
	"perennial/documents/drawing"
	"perennial/mail"
)

// Accounts opens what a sender's mails are sent with.
type Accounts interface {
	MailAccount(s db.EmailSender) (mail.Account, error)
}

// Mails sends the mails of environments.
type Mails struct {
	Store    *db.Store
	Clock    execution.Clock
	Accounts Accounts
	// PublicURL is the address of the API from outside, for links to the pages of invoices; empty: mails have none.
	PublicURL string
	Drawer    *drawing.Drawer // of attached documents
	// Live and Test say when retries are due; zero: the defaults of billing/email.
	Live, Test email.Policy

	drawing sync.Mutex // held while a document is drawn
}

// Bounds of one run.
const (
	lanes      = 4                // connections to one mail server at a time
	runTakes   = 25 * time.Second // how long an activity takes new mails
	dueBatch   = 100              // mails read at once
	closeBatch = 1_000            // mails of a deleted sender canceled at once
)

// SendDue sends the mails of an environment that are due, for 25 s at most, or until its mail server fails for all
// mails alike.
func (a *Mails) SendDue(ctx context.Context, ref contract.Ref) (contract.SendOutput, error) {
	var sender db.EmailSender
	err := execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) (err error) {
		sender, err = tx.Emails.BeginSending(ctx, ref.EnvironmentID, ref.ID)
		return err
	})
	if errors.Is(err, db.ErrEmailSettingsNotFound) {
		return contract.SendOutput{Gone: true}, nil
	}
	if err != nil {
		return contract.SendOutput{}, err
	}
	_, since, err := a.Store.Webhooks.EventHorizon(ctx, ref.EnvironmentID)
	if err != nil {
		return contract.SendOutput{}, err
	}
	if !sender.DeletedAt.IsZero() {
		return a.close(ctx, ref, since)
	}
	account, err := a.Accounts.MailAccount(sender)
	if err != nil {
		return contract.SendOutput{}, err
	}
	r := &run{
		Mails: a, sender: sender, account: account, policy: a.policy(sender.Mode), since: since,
		until: a.Clock().Add(runTakes),
	}
	defer r.hangUp()
	if err := r.send(ctx); err != nil {
		return contract.SendOutput{}, err
	}
	return r.output(ctx)
}

// close cancels the pending mails of a deleted sender. A writer that found it may not have committed yet: the next run
// looks again until all transactions that began before our mark was cleared are decided.
func (a *Mails) close(ctx context.Context, ref contract.Ref, since int64) (contract.SendOutput, error) {
	horizon, _, err := a.Store.Webhooks.EventHorizon(ctx, ref.EnvironmentID)
	if err != nil {
		return contract.SendOutput{}, err
	}
	for canceled := closeBatch; canceled == closeBatch; execution.Heartbeat(ctx) {
		err := execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) (err error) {
			if canceled, err = tx.Emails.Cancel(ctx, ref.EnvironmentID, closeBatch); err != nil {
				return err
			}
			next := time.Time{}
			if canceled == closeBatch || horizon < since {
				next = tx.Real
			}
			return tx.Emails.SetSenderNextAttempt(ctx, ref.EnvironmentID, ref.ID, next)
		})
		if err != nil {
			return contract.SendOutput{}, err
		}
	}
	if horizon < since {
		return contract.SendOutput{NextAt: a.Clock().Add(execution.SettlePause)}, nil
	}
	return contract.SendOutput{Gone: true}, nil
}

// policy is the environment's.
func (a *Mails) policy(mode string) email.Policy {
	own, standard := a.Test, email.TestPolicy
	if mode == "live" {
		own, standard = a.Live, email.LivePolicy
	}
	if len(own.Gaps) == 0 {
		return standard
	}
	return own
}
