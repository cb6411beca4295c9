package emails

import (
	"context"
	"errors"
	"time"

	"perennial/db"
	"perennial/mail"
	"perennial/service/usecase"
)

// testPatience is the time that a connection test may take: its caller waits.
const testPatience = 5 * time.Second

// Tested is the result of a connection test.
type Tested struct {
	SenderID string
	At       time.Time
	Failure  *mail.Failure // nil: the server takes mail of this sender
}

// Test connects to the mail server and logs in, sends nothing, and notes the result. Faults: email_settings_not_found,
// kek_missing, keyset_unreadable, credential_unreadable.
func (s *Service) Test(ctx context.Context, by usecase.Caller, around usecase.Around[Tested]) error {
	sender, err := s.Store.Emails.Sender(ctx, by.EnvironmentID)
	if err != nil {
		return err
	}
	if s.accounts.Vault == nil {
		return usecase.ErrKEKMissing
	}
	account, err := s.accounts.MailAccount(sender)
	if err != nil {
		return err
	}
	failure := try(ctx, account)
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (Tested, error) {
		tx.AuditObject(sender.ID)
		out := Tested{SenderID: sender.ID, At: tx.Real, Failure: failure}
		if failure == nil {
			return out, tx.Emails.SetSenderWorking(ctx, by.EnvironmentID, sender.ID)
		}
		return out, tx.Emails.SetSenderFailing(ctx, sender,
			db.SenderFailure{Class: string(failure.Class), Text: failure.Text})
	})
}

func try(ctx context.Context, account mail.Account) *mail.Failure {
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	session, err := account.Dial(ctx)
	if err == nil {
		session.Close()
		return nil
	}
	var f *mail.Failure
	if !errors.As(err, &f) {
		f = &mail.Failure{Class: mail.Unreachable, Text: "no connection"}
	}
	return f
}
