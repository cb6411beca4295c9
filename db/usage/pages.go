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

// Counting has the options of a count. The zero value counts all at once and saves nothing.
type Counting struct {
	// For is the purpose of the count, such as a draft. An interrupted count for the same purpose is continued; empty:
	// none is.
	For string
	By  core.Actor // the actor of saved pages
	Now time.Time
	// PageRows is the number of rows after which the progress is saved; 0: 100,000. A shorter count needs no statement.
	PageRows int
	// Beat is called with the progress after each statement that may take long; nil: no call.
	Beat func(Counted)
}

// Counted is the progress of a count.
type Counted struct {
	MetricName string
	To         time.Time // earlier records are counted
	Rows       int       // read for the metric since the call began
	Paged      bool      // it is, or was, saved: Tx.DropPages must follow
}

// pageRows is the default of Counting.PageRows: a crash loses half a second of work.
const pageRows = 100_000

// rowsPerState keeps the written page small compared with its rows.
const rowsPerState = 10

// partial is a count that can be saved and continued.
type partial interface {
	States() int
	Keep() ([]byte, error)
	Resume(kept []byte) error
}

// pages saves the progress of the count of one question.
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

// turn records that rows up to to were counted, and returns the time to continue from: to, or the saved time of an
// earlier call. It reads that only once the count proves long, so that a short count needs no statement.
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

// resume continues with the saved progress of an earlier call, unless it is behind.
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

// pagesKeptDays is the time for which pages stay that no rating continues: their draft was issued without its usage.
const pagesKeptDays = 7

// DropPages deletes the saved progress of a subscription's counts.
func (tx *Tx) DropPages(ctx context.Context, environmentID, subscriptionID string) error {
	return core.Queries.UsagePagesDelete(ctx, tx.Pipe, dbsqlc.UsagePagesDeleteParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID,
	})
}
