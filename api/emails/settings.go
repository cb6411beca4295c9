package emails

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/email"
	"perennial/db"
	"perennial/mail"
	"perennial/service/emails"
)

// EmailSettings say how an environment sends mails to its customers. Secrets are never shown.
type EmailSettings struct {
	ID                string   `json:"id" example:"ems_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Object            string   `json:"object" enum:"email_settings" example:"email_settings"`
	From              From     `json:"from"`
	ReplyTo           string   `json:"replyTo,omitempty" example:"help@example.com" doc:"Absent: the sender."`
	Host              string   `json:"host" example:"smtp.example.com"`
	Port              int      `json:"port" example:"587"`
	Security          string   `json:"security" enum:"starttls,tls,none" example:"starttls"`
	User              string   `json:"user,omitempty" example:"apikey" doc:"Absent: the server asks for no login. The password is never shown."`
	DKIM              *DKIM    `json:"dkim,omitempty" doc:"Absent: mails are not signed."`
	Kinds             []Kind   `json:"kinds" doc:"The kinds of mails that are sent."`
	AllowedRecipients []string `json:"allowedRecipients" doc:"Of a test environment: to whom mails are sent. Others are suppressed."`
	Failing           *Failing `json:"failing,omitempty" doc:"Absent: the server takes mail, or was not asked."`
	CreatedAt         int64    `json:"createdAt" example:"1763640000"`
	UpdatedAt         int64    `json:"updatedAt" example:"1763640000"`
}

// From is who a mail is from.
type From struct {
	Email string `json:"email" maxLength:"254" example:"billing@example.com"`
	Name  string `json:"name,omitempty" maxLength:"100" example:"Acme" doc:"What readers see."`
}

// DKIM is how mails are signed: the public key is in DNS, at <selector>._domainkey.<domain>.
type DKIM struct {
	Domain   string `json:"domain" maxLength:"253" example:"example.com"`
	Selector string `json:"selector" maxLength:"63" example:"s1"`
}

// Failing says that the mail server fails for all mails alike. They wait.
type Failing struct {
	Since  int64  `json:"since" example:"1763640000"`
	Class  string `json:"class" enum:"forbidden_address,unreachable,tls_failed,login_failed,busy,sender_refused" example:"login_failed"`
	Detail string `json:"detail" example:"authentication failed" doc:"The server's words, or ours where it said nothing."`
}

// Kind is a kind of mail.
type Kind string

// EmailSettingsForm replaces the settings as a whole.
type EmailSettingsForm struct {
	From              From      `json:"from"`
	ReplyTo           string    `json:"replyTo,omitempty" maxLength:"254" example:"help@example.com" doc:"Default: the sender."`
	Host              string    `json:"host" minLength:"1" maxLength:"253" example:"smtp.example.com"`
	Port              int       `json:"port,omitempty" minimum:"1" maximum:"65535" example:"587" doc:"Default: 465 with tls, 587 otherwise."`
	Security          string    `json:"security,omitempty" enum:"starttls,tls,none" example:"starttls" doc:"starttls, the default: the connection turns to TLS, or ends. tls: TLS from the first byte. none: for a server on the same machine only."`
	User              string    `json:"user,omitempty" maxLength:"254" example:"apikey" doc:"Absent: the server asks for no login."`
	Password          string    `json:"password,omitempty" maxLength:"1024" doc:"Absent: the stored one stays, for the same host, port and user."`
	DKIM              *DKIMForm `json:"dkim,omitempty" doc:"Absent: mails are not signed."`
	Kinds             *[]Kind   `json:"kinds,omitempty" maxItems:"10" doc:"The kinds of mails that are sent. Default: all."`
	AllowedRecipients []string  `json:"allowedRecipients,omitempty" maxItems:"100" example:"[\"@example.com\"]" doc:"Of a test environment: the addresses, and the domains as @example.com, to which mails are sent. Others are suppressed."`
}

// DKIMForm is how mails are to be signed.
type DKIMForm struct {
	DKIM

	PrivateKey string `json:"privateKey,omitempty" maxLength:"8192" doc:"RSA with at least 1024 bits, or Ed25519, as PEM. Absent: the stored one stays, for the same domain."`
}

func renderSettings(s db.EmailSender) EmailSettings {
	out := EmailSettings{
		ID: s.ID, Object: "email_settings", From: From{Email: s.FromEmail, Name: s.FromName}, ReplyTo: s.ReplyTo, Host: s.Host,
		Port: s.Port, Security: s.Security, User: s.User, Kinds: []Kind{},
		AllowedRecipients: append([]string{}, s.Allowed...),
		CreatedAt:         view.Unix(s.CreatedAt), UpdatedAt: view.Unix(s.UpdatedAt),
	}
	for _, k := range s.Kinds {
		out.Kinds = append(out.Kinds, Kind(k))
	}
	if s.DKIMDomain != "" {
		out.DKIM = &DKIM{Domain: s.DKIMDomain, Selector: s.DKIMSelector}
	}
	if !s.FailingSince.IsZero() {
		out.Failing = &Failing{Since: view.Unix(s.FailingSince), Class: s.FailureClass, Detail: s.FailureText}
	}
	return out
}

func madeSettings(s db.EmailSender) httpkit.Made[EmailSettings] {
	return httpkit.Made[EmailSettings]{Resource: renderSettings(s)}
}

func (h *Handler) getSettings(
	ctx context.Context, c *httpkit.Call, _ *struct{},
) (*httpkit.Reply[EmailSettings], error) {
	s, err := h.store.Emails.Sender(ctx, c.EnvironmentID)
	if err != nil {
		return nil, err
	}
	return httpkit.OK(renderSettings(s)), nil
}

type putSettingsInput struct{ Body EmailSettingsForm }

func (f EmailSettingsForm) settings() emails.Settings {
	out := emails.Settings{
		FromEmail: f.From.Email, FromName: f.From.Name, ReplyTo: f.ReplyTo, Host: f.Host, Port: f.Port,
		Security: mail.Security(f.Security), User: f.User, Password: f.Password, Kinds: email.Kinds(),
		Allowed: f.AllowedRecipients,
	}
	if out.Security == "" {
		out.Security = mail.StartTLS
	}
	if out.Port == 0 {
		out.Port = 587
		if out.Security == mail.ImplicitTLS {
			out.Port = 465
		}
	}
	if f.DKIM != nil {
		out.DKIM = &emails.DKIM{Domain: f.DKIM.Domain, Selector: f.DKIM.Selector, PrivateKey: f.DKIM.PrivateKey}
	}
	if f.Kinds != nil {
		out.Kinds = []email.Kind{}
		for _, k := range *f.Kinds {
			out.Kinds = append(out.Kinds, email.Kind(k))
		}
	}
	return out
}

func (h *Handler) putSettings(
	ctx context.Context, c *httpkit.Call, in *putSettingsInput,
) (*httpkit.Reply[EmailSettings], error) {
	return usecase.Command(ctx, h.kit, c, http.StatusOK, madeSettings, func(around usecase.Around[db.EmailSender]) error {
		return h.service.Put(ctx, usecase.Caller(c), in.Body.settings(), around)
	})
}

func (h *Handler) deleteSettings(
	ctx context.Context, c *httpkit.Call, _ *struct{},
) (*httpkit.Reply[view.Deleted], error) {
	made := func(s db.EmailSender) httpkit.Made[view.Deleted] {
		return httpkit.Made[view.Deleted]{Resource: view.Deleted{ID: s.ID, Deleted: true}}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made, func(around usecase.Around[db.EmailSender]) error {
		return h.service.Delete(ctx, usecase.Caller(c), around)
	})
}

// EmailTest is the result of a connection test.
type EmailTest struct {
	ID       string `json:"id" example:"ems_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The email settings."`
	Passed   bool   `json:"passed" example:"true" doc:"The server took the connection and the login. Nothing was sent."`
	Class    string `json:"class,omitempty" enum:"forbidden_address,unreachable,tls_failed,login_failed,busy,sender_refused" doc:"Absent: it passed."`
	Code     int    `json:"code,omitempty" doc:"Of the server's reply."`
	Detail   string `json:"detail,omitempty" doc:"The server's words, or ours where it said nothing."`
	TestedAt int64  `json:"testedAt" example:"1763640000"`
}

func madeTest(t emails.Tested) httpkit.Made[EmailTest] {
	out := EmailTest{ID: t.SenderID, Passed: t.Failure == nil, TestedAt: view.Unix(t.At)}
	if t.Failure != nil {
		out.Class, out.Code, out.Detail = string(t.Failure.Class), t.Failure.Code, t.Failure.Text
	}
	return httpkit.Made[EmailTest]{Resource: out}
}

type testSettingsInput struct{ Body *view.Empty }

func (h *Handler) testSettings(
	ctx context.Context, c *httpkit.Call, _ *testSettingsInput,
) (*httpkit.Reply[EmailTest], error) {
	return usecase.Command(ctx, h.kit, c, http.StatusOK, madeTest, func(around usecase.Around[emails.Tested]) error {
		return h.service.Test(ctx, usecase.Caller(c), around)
	})
}
