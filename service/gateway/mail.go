package gateway

import (
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/vault"
	"perennial/mail"
	"perennial/webhooks"
)

// MailAccounts opens what mails are sent with.
type MailAccounts struct {
	Vault *vault.Vault // nil: nothing opens
	// Sender connects; its Control is replaced.
	Sender mail.Sender
	// Relays are networks in which mail servers may be although they are not on the internet; Local those of local servers
	// of test environments.
	Relays, Local webhooks.Allow
}

// MailAccount opens that of a sender. Faults: keyset_unreadable, credential_unreadable, dkim_key_invalid.
func (m MailAccounts) MailAccount(s db.EmailSender) (mail.Account, error) {
	a := m.Reach(s)
	if s.PasswordSealed != nil {
		password, err := m.Vault.Open(s.Keyset, vault.MailPassword(s.AppID, s.ID), s.PasswordSealed)
		if err != nil {
			return a, err
		}
		a.Server.Password = string(password)
	}
	if s.DKIMKeySealed != nil {
		text, err := m.Vault.Open(s.Keyset, vault.DKIMKey(s.AppID, s.ID), s.DKIMKeySealed)
		if err != nil {
			return a, err
		}
		a.DKIM = mail.DKIM{Domain: s.DKIMDomain, Selector: s.DKIMSelector}
		if a.DKIM.Key, err = mail.ParseKey(string(text)); err != nil {
			return a, err
		}
	}
	return a, nil
}

// Reach returns the account of a sender without what is sealed.
func (m MailAccounts) Reach(s db.EmailSender) mail.Account {
	allowed := m.Relays
	if s.Mode == string(apikey.Test) {
		allowed = append(allowed[:len(allowed):len(allowed)], m.Local...)
	}
	a := mail.Account{Sender: m.Sender}
	a.Sender.Control = webhooks.Control(allowed)
	a.Server = mail.Server{Host: s.Host, Port: s.Port, Security: mail.Security(s.Security), User: s.User}
	return a
}
