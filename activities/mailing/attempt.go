package mailing

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"perennial/activities/execution"
	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/db"
	"perennial/mail"
)

// begin writes the start of an attempt, and the content of a mail that has none yet: each attempt sends the same. due
// is false where there is nothing to send: the mail may not go to its recipient, or another worker has it.
func (r *run) begin(ctx context.Context, id string) (m db.Email, due bool, err error) {
	env := r.sender.EnvironmentID
	err = execution.InTx(ctx, r.Store, r.Clock(), func(tx *db.Tx) error {
		if m, err = tx.Emails.Lock(ctx, env, id); err != nil {
			return err
		}
		if m.Status != email.Pending || m.NextAttemptAt.After(tx.Real) {
			return nil
		}
		if next := r.closeLost(&m); next.Status == email.Failed {
			return r.fail(ctx, tx, m, next.Reason)
		}
		if m.Subject == "" {
			if m.Content, err = r.draw(ctx, tx, m); errors.Is(err, errGone) {
				return r.fail(ctx, tx, m, email.ObjectGone)
			} else if errors.Is(err, errSettled) {
				m.Status, m.Reason, m.NextAttemptAt = email.Suppressed, email.InvoiceNotOpen, zero
				return tx.Emails.Save(ctx, env, m)
			} else if err != nil {
				return err
			}
		}
		if r.sender.Mode != "live" && !r.sender.Allowed.Contains(m.Recipient) {
			m.Status, m.Reason, m.NextAttemptAt = email.Suppressed, email.RecipientNotAllowed, zero
			return tx.Emails.Save(ctx, env, m)
		}
		due = true
		m.Log = append(m.Log, email.Attempt{Number: len(m.Log) + 1, StartedAt: tx.Real})
		m.NextAttemptAt = tx.Real.Add(email.Held)
		return tx.Emails.Save(ctx, env, m)
	})
	if errors.Is(err, db.ErrEmailNotFound) {
		return m, false, nil // deleted since it was listed
	}
	return m, due && err == nil, err
}

// spoil records an attempt that could not begin, such as one of a mail that cannot be drawn. It uses up one: the mail
// waits, and is given up at last, while the others go out.
func (r *run) spoil(ctx context.Context, id string) error {
	err := execution.InTx(ctx, r.Store, r.Clock(), func(tx *db.Tx) error {
		m, err := tx.Emails.Lock(ctx, r.sender.EnvironmentID, id)
		if err != nil || m.Status != email.Pending || m.NextAttemptAt.After(tx.Real) {
			return err
		}
		if next := r.closeLost(&m); next.Status == email.Failed {
			return r.fail(ctx, tx, m, next.Reason)
		}
		f := unmade()
		m.Log = append(m.Log, email.Attempt{
			Number: len(m.Log) + 1, StartedAt: tx.Real, EndedAt: tx.Real, Outcome: email.OutcomeFailed, Class: string(f.Class),
			Text: f.Text,
		})
		return r.retry(ctx, tx, m, f)
	})
	if errors.Is(err, db.ErrEmailNotFound) {
		return nil
	}
	return err
}

// closeLost ends an attempt that its worker left open. It uses up one: a mail that crashes every worker must not do so
// for ever.
func (r *run) closeLost(m *db.Email) email.Next {
	if len(m.Log) == 0 || m.Log[len(m.Log)-1].Outcome != "" {
		return email.Next{Status: email.Pending}
	}
	m.Log[len(m.Log)-1].Outcome = email.OutcomeUnknown
	m.Attempts++
	return r.policy.After(email.Failure{}, m.Attempts, m.CreatedAt, r.Clock())
}

// end records how an attempt ended. A mail whose customer was erased meanwhile keeps no words of the server.
func (r *run) end(ctx context.Context, sent db.Email, failed *mail.Failure) error {
	env := r.sender.EnvironmentID
	r.note(failed)
	err := execution.InTx(ctx, r.Store, r.Clock(), func(tx *db.Tx) error {
		m, err := tx.Emails.Lock(ctx, env, sent.ID)
		if err != nil {
			return err
		}
		number := len(sent.Log)
		at := slices.IndexFunc(m.Log, func(a email.Attempt) bool { return a.Number == number })
		if at < 0 {
			return nil
		}
		attempt := &m.Log[at]
		attempt.EndedAt, attempt.Outcome = tx.Real, email.OutcomeSent
		if failed == nil {
			m.Status, m.Reason, m.SentAt, m.NextAttemptAt = email.Sent, "", tx.Real, zero
			return tx.Emails.Save(ctx, env, m)
		}
		attempt.Outcome, attempt.Class, attempt.Code = email.OutcomeFailed, string(failed.Class), failed.Code
		if m.ErasedAt.IsZero() {
			attempt.Text = failed.Text
		}
		if m.Status != email.Pending || at != len(m.Log)-1 { // canceled meanwhile, or another worker has it
			return tx.Emails.Save(ctx, env, m)
		}
		return r.retry(ctx, tx, m, failed)
	})
	if errors.Is(err, db.ErrEmailNotFound) {
		return nil
	}
	return err
}

// retry says when a mail is tried again, or gives it up.
func (r *run) retry(ctx context.Context, tx *db.Tx, m db.Email, failed *mail.Failure) error {
	f := email.Failure{
		Permanent: failed.Permanent(), OfServer: failed.OfServer(), Malformed: failed.Class == mail.AddressMalformed,
	}
	if !f.OfServer {
		m.Attempts++
	}
	next := r.policy.After(f, m.Attempts, m.CreatedAt, tx.Real)
	if next.Status == email.Failed {
		return r.fail(ctx, tx, m, next.Reason)
	}
	m.NextAttemptAt = next.At
	return tx.Emails.Save(ctx, r.sender.EnvironmentID, m)
}

// fail gives a mail up, and announces it.
func (r *run) fail(ctx context.Context, tx *db.Tx, m db.Email, reason email.Reason) error {
	m.Status, m.Reason, m.NextAttemptAt = email.Failed, reason, zero
	if err := tx.Emails.Save(ctx, r.sender.EnvironmentID, m); err != nil {
		return err
	}
	code := ""
	if last := len(m.Log) - 1; last >= 0 && m.Log[last].Code != 0 {
		code = strconv.Itoa(m.Log[last].Code)
	}
	r.mu.Lock()
	r.sum.Failed++
	r.mu.Unlock()
	return tx.Emit(ctx, r.sender.EnvironmentID, event.New(event.EmailFailed{
		ID: m.ID, CustomerID: m.CustomerID, Kind: string(m.Kind), ObjectID: m.ObjectID, Reason: string(reason), Code: code,
	}, tx.Real))
}

// note remembers what an attempt says of the server.
func (r *run) note(failed *mail.Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case failed == nil:
		r.sum.Sent++
	case failed.OfServer():
		r.trouble = failed
	}
}
