package emails

import (
	"context"
	"errors"
	"slices"
	"time"

	"perennial/billing/audit"
	"perennial/billing/customer"
	"perennial/billing/email"
	"perennial/billing/fault"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/hostname"
	"perennial/internal/id"
	"perennial/internal/vault"
	"perennial/mail"
	"perennial/service/usecase"
)

// Settings are an app's input for the sender of an environment.
type Settings struct {
	FromEmail, FromName, ReplyTo string
	Host                         string
	Port                         int
	Security                     mail.Security
	User, Password               string // an empty password leaves the stored one
	DKIM                         *DKIM  // nil: mails are not signed
	Kinds                        []email.Kind
	Allowed                      email.Allowed
}

// DKIM is how mails are signed. An empty key leaves the stored one.
type DKIM struct{ Domain, Selector, PrivateKey string }

var (
	errPasswordMissing = fault.InvalidParam("password", "smtp_password_missing",
		"`password` is missing. Send it: a stored one serves the host, port and user that it was sent with only.")
	errKeyMissing = fault.InvalidParam("dkim.privateKey", "dkim_key_missing",
		"`dkim.privateKey` is missing. Send it: a stored one serves the domain that it was sent with only.")
)

// check refuses what no mail could be sent with. Faults: email_malformed, host_malformed, those of text, mail.Server
// and email.Allowed, test_mode_only.
func (s Settings) check(by usecase.Caller) error {
	if len(s.Allowed) > 0 {
		if err := by.TestModeOnly("allowedRecipients"); err != nil {
			return err
		}
	}
	return fault.Joined(
		addressOf("from.email", s.FromEmail), text.Check("from.name", s.FromName),
		text.UnlessEmpty(s.ReplyTo, func(a string) error { return addressOf("replyTo", a) }),
		s.checkServer(), s.checkDKIM(), s.Allowed.Check())
}

func (s Settings) checkServer() error {
	if _, ok := hostname.ToASCII(s.Host); !ok && !mail.Loopback(s.Host) {
		return fault.InvalidParam("host", "host_malformed", "`host` is no name of a host. Send one such as smtp.example.com.")
	}
	if s.Password != "" && s.User == "" {
		return fault.InvalidParam("password", "smtp_login_incomplete",
			"`password` is for a `user`. Send both, or neither for a server without login.")
	}
	return mail.Server{Host: s.Host, Port: s.Port, Security: s.Security}.Check()
}

func (s Settings) checkDKIM() error {
	if s.DKIM == nil {
		return nil
	}
	for field, name := range map[string]string{"dkim.domain": s.DKIM.Domain, "dkim.selector": s.DKIM.Selector} {
		if _, ok := hostname.ToASCII(name); !ok {
			return fault.InvalidParam(field, "host_malformed", "`%s` is no name in DNS. Send one such as example.com.", field)
		}
	}
	if s.DKIM.PrivateKey == "" {
		return nil
	}
	_, err := mail.ParseKey(s.DKIM.PrivateKey)
	return err
}

// addressOf checks an address of a field.
func addressOf(field, address string) error {
	if err := customer.CheckEmail(address); err != nil {
		return fault.InvalidParam(field, "email_malformed",
			"`%s` is malformed. Send an address of the form name@example.com.", field)
	}
	return nil
}

// Put makes or replaces the sender of the environment. Mails that wait are tried at once. Faults: those of check,
// smtp_password_missing, dkim_key_missing, dkim_key_invalid, kek_missing.
func (s *Service) Put(
	ctx context.Context, by usecase.Caller, in Settings, around usecase.Around[db.EmailSender],
) error {
	if err := in.check(by); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (db.EmailSender, error) {
		appID, mode, err := tx.Emails.LockEnvironment(ctx, by.EnvironmentID)
		if err != nil {
			return db.EmailSender{}, err
		}
		was, err := tx.Emails.Sender(ctx, by.EnvironmentID)
		made := errors.Is(err, db.ErrEmailSettingsNotFound)
		if err != nil && !made {
			return was, err
		}
		is := was
		if made {
			is = db.EmailSender{
				ID: id.New(id.EmailSender, tx.Real), EnvironmentID: by.EnvironmentID, AppID: appID, Mode: mode, CreatedAt: tx.Real,
			}
		}
		in.apply(&is)
		if err := s.seal(ctx, tx, in, was, &is); err != nil {
			return is, err
		}
		is.UpdatedAt = tx.Real
		is.FailureClass, is.FailureText, is.FailingSince = "", "", time.Time{} // a new server has a clean record
		tx.AuditObject(is.ID)
		tx.AuditChanges(audit.Changes("email_settings", differing(was, is), nil, nil)...)
		if made {
			return is, tx.Emails.InsertSender(ctx, by.EnvironmentID, is)
		}
		if err := tx.Emails.Hasten(ctx, by.EnvironmentID); err != nil {
			return is, err
		}
		return is, tx.Emails.SaveSender(ctx, by.EnvironmentID, is)
	})
}

func (s Settings) apply(to *db.EmailSender) {
	to.FromEmail, to.FromName, to.ReplyTo = s.FromEmail, s.FromName, s.ReplyTo
	to.Host, to.Port, to.Security, to.User = s.Host, s.Port, string(s.Security), s.User
	to.DKIMDomain, to.DKIMSelector = "", ""
	if s.DKIM != nil {
		to.DKIMDomain, to.DKIMSelector = s.DKIM.Domain, s.DKIM.Selector
	}
	to.Kinds, to.Allowed = s.Kinds, s.Allowed
}

// seal seals what was sent, and keeps what is stored for the same server and domain. A stored password goes to no other
// server: a key that may change settings must not be able to read it there.
func (s *Service) seal(ctx context.Context, tx *db.Tx, in Settings, was db.EmailSender, is *db.EmailSender) error {
	sameServer := was.Host == is.Host && was.Port == is.Port && was.User == is.User && was.PasswordSealed != nil
	switch {
	case is.User == "":
		is.PasswordSealed = nil
	case in.Password != "":
		sealed, err := s.sealed(ctx, tx, is.AppID, vault.MailPassword(is.AppID, is.ID), in.Password)
		if err != nil {
			return err
		}
		is.PasswordSealed = sealed
	case !sameServer:
		return errPasswordMissing
	}
	switch {
	case in.DKIM == nil:
		is.DKIMKeySealed = nil
	case in.DKIM.PrivateKey != "":
		sealed, err := s.sealed(ctx, tx, is.AppID, vault.DKIMKey(is.AppID, is.ID), in.DKIM.PrivateKey)
		if err != nil {
			return err
		}
		is.DKIMKeySealed = sealed
	case was.DKIMDomain != is.DKIMDomain || was.DKIMKeySealed == nil:
		return errKeyMissing
	}
	return nil
}

// sealed seals with the app's present keyset, which is read under the environment's lock.
func (s *Service) sealed(
	ctx context.Context, tx *db.Tx, appID string, field vault.Field, plain string,
) ([]byte, error) {
	if s.accounts.Vault == nil {
		return nil, usecase.ErrKEKMissing
	}
	app, err := tx.Tenancy.App(ctx, appID)
	if err != nil {
		return nil, err
	}
	return s.accounts.Vault.Seal(app.Keyset, field, []byte(plain))
}

// differing names the fields that changed, as the API does.
func differing(was, is db.EmailSender) (fields []string) {
	for _, f := range []struct {
		name    string
		differs bool
	}{
		{"from.email", was.FromEmail != is.FromEmail}, {"from.name", was.FromName != is.FromName},
		{"replyTo", was.ReplyTo != is.ReplyTo}, {"host", was.Host != is.Host}, {"port", was.Port != is.Port},
		{"security", was.Security != is.Security}, {"user", was.User != is.User},
		{"password", !slices.Equal(was.PasswordSealed, is.PasswordSealed)},
		{"dkim.domain", was.DKIMDomain != is.DKIMDomain}, {"dkim.selector", was.DKIMSelector != is.DKIMSelector},
		{"dkim.privateKey", !slices.Equal(was.DKIMKeySealed, is.DKIMKeySealed)},
		{"kinds", !slices.Equal(was.Kinds, is.Kinds)}, {"allowedRecipients", !slices.Equal(was.Allowed, is.Allowed)},
	} {
		if f.differs {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// Delete removes the sender with its secrets. Pending mails are canceled. Fault: email_settings_not_found.
func (s *Service) Delete(ctx context.Context, by usecase.Caller, around usecase.Around[db.EmailSender]) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (db.EmailSender, error) {
		if _, _, err := tx.Emails.LockEnvironment(ctx, by.EnvironmentID); err != nil {
			return db.EmailSender{}, err
		}
		is, err := tx.Emails.Sender(ctx, by.EnvironmentID)
		if err != nil {
			return is, err
		}
		tx.AuditObject(is.ID)
		tx.AuditChanges(audit.Changes("email_settings", []string{"deleted"}, nil, nil)...)
		is.DeletedAt, is.User, is.PasswordSealed = tx.Real, "", nil
		is.DKIMDomain, is.DKIMSelector, is.DKIMKeySealed = "", "", nil
		return is, tx.Emails.SaveSender(ctx, by.EnvironmentID, is)
	})
}
