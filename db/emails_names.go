package db

import "perennial/db/emails"

// Callers know these of package emails by the name of db.

type (
	Email         = emails.Email
	EmailContent  = emails.Content
	EmailFilter   = emails.Filter
	EmailSender   = emails.Sender
	SenderFailure = emails.SenderFailure

	FailingEmailSender = emails.FailingSender
)
