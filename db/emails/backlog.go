package emails

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Backlog is the state of mails in the whole installation.
type Backlog struct {
	DueAge  time.Duration // since the oldest due work of a sender became due; 0: none is due
	Failing int           // senders whose mail server fails for longer than asked for, up to 10,000
	Failed  int           // mails that were given up since they were asked for, up to 10,000
}

// Backlog reads the backlog at now. failing is the time for which a sender must have failed, failed that in which mails
// that were given up were written. Global.
func (r Reader) Backlog(ctx context.Context, now time.Time, failing, failed time.Duration) (Backlog, error) {
	now = now.Truncate(time.Microsecond)
	row, err := core.Queries.EmailBacklogGet(ctx, r.Handle, dbsqlc.EmailBacklogGetParams{
		Now: now, FailingBefore: now.Add(-failing), FailedSince: now.Add(-failed), AtMost: core.BacklogAtMost,
	})
	return Backlog{DueAge: max(0, now.Sub(row.DueAt)), Failing: row.Failing, Failed: row.Failed},
		core.Translate("EmailBacklogGet", err)
}

// FailingSender is a sender whose mail server fails for all mails alike.
type FailingSender struct {
	core.Ref

	Since time.Time
	Class string // of the failure
}

// FailingSenders lists at most limit that fail since before a time, the longest failing first. Global.
func (r Reader) FailingSenders(ctx context.Context, failingBefore time.Time, limit int) ([]FailingSender, error) {
	found, err := core.Queries.EmailSenderListFailing(ctx, r.Handle,
		dbsqlc.EmailSenderListFailingParams{FailingBefore: failingBefore, RowLimit: core.RowLimit(limit)})
	return core.Map(found, func(f dbsqlc.EmailSenderListFailingRow) FailingSender {
		return FailingSender{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, f.Since, f.Class}
	}), core.Translate("EmailSenderListFailing", err)
}
