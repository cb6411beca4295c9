package doctor

import (
	"context"
	"time"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

// emails checks that mails are on their way. Mail servers that fail, and addresses that do not exist, are their owners'
// concern: warnings.
func (d *doctor) emails(ctx context.Context, store *db.Store) {
	const check, senders = "emails", "email senders"
	ctx, cancel := d.within(ctx)
	defer cancel()
	b, err := store.Emails.Backlog(ctx, d.now(), backlog.FailingFor, backlog.FailedWithin)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	switch {
	case b.DueAge > backlog.Late:
		d.fail(check, "check that workers run", "the work of a sender is overdue by %s", b.DueAge.Round(time.Second))
	case b.Failed > 0:
		d.warn(check, "tell the owners; GET /emails?status=failed has the words of their mail servers",
			"given up in the last %d days: %s", int(backlog.FailedWithin.Hours()/24), cli.Counted(b.Failed, "mail"))
	default:
		d.ok(check, "nothing waits for more than %s, and none was given up", backlog.Late)
	}
	failing, err := store.Emails.FailingSenders(ctx, d.now().Add(-backlog.FailingFor), backlog.Named)
	if err != nil {
		d.fail(senders, "check the database", "%s", cli.Describe(err))
		return
	}
	if len(failing) > 0 {
		d.warn(senders, "tell the owners of these environments; GET /email-settings shows why, and new settings try again at once",
			"their mail servers take nothing, and mails wait for three days at most: %s", backlog.Names(failing, senderOf))
	}
}

// senderOf names a sender by its environment: the server's words stay with the owner.
func senderOf(s db.FailingEmailSender) string {
	return s.EnvironmentID + " (" + s.Class + " since " + s.Since.Format(time.RFC3339) + ")"
}
