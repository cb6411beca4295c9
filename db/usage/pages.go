package usage

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/metered"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Counting is how a count goes about it. The zero value counts all at once and keeps nothing.
type Counting struct {
	// For names what is counted for, such as a draft. A count for the same that ended early is gone on with; empty: none
	// is.
	For string
	By  core.Actor // of what is kept
	Now time.Time
	// PageRows is after how many rows it is kept how far a count has come; 0: 100,000. Fewer than that cost no statement.
	PageRows int
	// Beat is called after each statement that may take long, with how far the count has come; nil: it is not.
	Beat func(Counted)
}

// Counted is how far a count has come.
type Counted struct {
	MetricName string
	To         time.Time // the records before it are counted
	Rows       int       // that were read for the metric since the call began
	Paged      bool      // it is kept, or was: Tx.DropPages is to follow
}

// pageRows is the default of Counting.PageRows: half a second of work is lost with a process.
const pageRows = 100_000

// rowsPerState keeps what is written for a page small beside what was read for it.
const rowsPerState = 10

// partial is a count that can be kept and gone on with.
type partial interface {
	States() int
	Keep() ([]byte, error)
	Resume(kept []byte) error
}

// pages keeps how far the count of one question has come.
type pages struct {
	Counting
	log                           *Log
	environmentID, subscriptionID string
	question                      []byte
	count                         partial
	done                          Counted
	since                         int // rows since the last page
}

func (l *Log) pages(
	environmentID, subscriptionID string, q *metered.Question, by Counting, count partial,
) *pages {
	if by.PageRows == 0 {
		by.PageRows = pageRows
	}
	return &pages{
		Counting: by, log: l, environmentID: environmentID, subscriptionID: subscriptionID, question: q.Digest(by.For),
		count: count, done: Counted{MetricName: q.Component.MetricName},
	}
}

// rows bounds the rows of one statement.
func (p *pages) rows() int { return min(seriesPage, p.PageRows) }

// turn notes that rows were counted, all of before to, and returns from where to go on: from to, or from where an
// earlier call has come. That is asked once the count turns out to be long, so that no other one costs a statement.
func (p *pages) turn(ctx context.Context, rows int, to time.Time) (time.Time, error) {
	p.done.Rows += rows
	p.beat(to)
	p.since += rows
	if p.For == "" || p.since < p.PageRows {
		return to, nil
	}
	if !p.done.Paged {
		p.done.Paged = true
		further, resumed, err := p.resume(ctx, to)
		if err != nil {
			return to, err
		}
		if resumed {
			p.since = 0
			p.beat(further)
			return further, nil
		}
	}
	if p.since < rowsPerState*p.count.States() {
		return to, nil
	}
	if err := p.keep(ctx, to); err != nil {
		return to, err
	}
	p.beat(to)
	return to, nil
}

func (p *pages) beat(to time.Time) {
	if p.done.To = to; p.Beat != nil {
		p.Beat(p.done)
	}
}

// resume goes on with what an earlier call has kept, unless that had not come as far.
func (p *pages) resume(ctx context.Context, to time.Time) (further time.Time, resumed bool, err error) {
	kept, err := core.Queries.UsagePageGet(ctx, p.log.reads.Handle, dbsqlc.UsagePageGetParams{
		EnvironmentID: p.environmentID, SubscriptionID: p.subscriptionID, Question: p.question,
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return to, false, nil
	case err != nil:
		return to, false, core.Translate("UsagePageGet", err)
	case kept.CountedTo.Before(to):
		return to, false, nil
	}
	return kept.CountedTo, true, p.count.Resume(kept.State)
}

func (p *pages) keep(ctx context.Context, to time.Time) error {
	state, err := p.count.Keep()
	if err != nil {
		return err
	}
	p.since = 0
	return p.log.store.InTx(ctx, p.By, p.Now, func(begun *core.Tx) error {
		tx := On(begun)
		tx.AuditNothing("it is how far a count has come, and goes with the invoice that it is for")
		return core.Queries.UsagePageSave(ctx, tx.Pipe, dbsqlc.UsagePageSaveParams{
			EnvironmentID: p.environmentID, SubscriptionID: p.subscriptionID, Question: p.question, CountedTo: to, State: state,
		})
	})
}

// pagesKeptDays is how long pages stay that no rating goes on with: its draft was issued without its usage.
const pagesKeptDays = 7

// DropPages forgets how far counts of a subscription had come.
func (tx *Tx) DropPages(ctx context.Context, environmentID, subscriptionID string) error {
	return core.Queries.UsagePagesDelete(ctx, tx.Pipe, dbsqlc.UsagePagesDeleteParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID,
	})
}
