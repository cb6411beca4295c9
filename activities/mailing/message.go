package mailing

import (
	"context"
	"strings"

	"perennial/db"
	"perennial/mail"
)

// message returns the bytes of a mail. Its Message-ID follows from the mail's id: a server or a reader recognises a
// repeat after a lost reply.
func (r *run) message(ctx context.Context, m db.Email) ([]byte, error) {
	payer, err := r.Store.Customers.Get(ctx, r.sender.EnvironmentID, m.CustomerID)
	if err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(r.sender.FromEmail, "@")
	message := mail.Message{
		ID: m.ID + "@" + domain, Date: m.CreatedAt,
		From: mail.Address{Name: r.sender.FromName, Email: r.sender.FromEmail},
		To:   mail.Address{Name: payer.Name, Email: m.Recipient}, ReplyTo: r.sender.ReplyTo,
		Subject: m.Subject, Language: m.Language, Text: m.Text, HTML: m.HTML,
	}
	file, err := r.file(ctx, r.sender.EnvironmentID, m)
	if err != nil {
		return nil, err
	}
	if file != nil {
		message.Attachments = []mail.Attachment{*file}
	}
	return r.account.Bytes(message)
}
