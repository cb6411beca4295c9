package invoices

import (
	"context"
	"time"

	"perennial/billing/fault"
	"perennial/billing/monthly"
	"perennial/billing/period"
	"perennial/db"
	"perennial/service/usecase"
)

// monthPage is the number of documents that are in memory at once.
const monthPage = 1000

// MonthReport has the figures of a month.
type MonthReport struct {
	Month    monthly.Month
	TimeZone string // whose midnights are the month's boundaries
	From, To time.Time
	// Complete reports whether no document of the month can be added any more, but by test clocks.
	Complete bool
	monthly.Report
}

// MonthDocuments takes each document of a month while it is added up, the oldest of its kind first. A function that is
// nil takes nothing; an error ends the report.
type MonthDocuments struct {
	Invoice func(monthly.Invoice) error
	Note    func(monthly.Note) error
	Payment func(monthly.Payment) error // charges, refunds and returned refunds
	Entry   func(monthly.Entry) error
	// AtMost refuses a month with more documents; 0: any number.
	AtMost int
	// Progress is told the number of documents so far, after each page.
	Progress func(documents int)
}

// SpanOf returns the boundaries of a month in the caller's environment. Fault: time_zone_unknown.
func SpanOf(by usecase.Caller, m monthly.Month) (from, to time.Time, err error) {
	zone, err := period.LoadLocation(by.TimeZone)
	if err != nil {
		return from, to, err
	}
	from, to = m.Span(zone)
	return from, to, nil
}

// Month adds the documents of a month up. All figures are of one moment, and in memory is one page of documents.
func (s *Service) Month(
	ctx context.Context, by usecase.Caller, m monthly.Month, take MonthDocuments,
) (MonthReport, error) {
	from, to, err := SpanOf(by, m)
	if err != nil {
		return MonthReport{}, err
	}
	out := MonthReport{
		Month: m, TimeZone: by.TimeZone, From: from, To: to, Complete: !s.Now().Before(to.Add(monthly.Settling)),
	}
	err = s.Store.OneMoment(ctx, func(all db.Reader) error {
		a := adding{ctx: ctx, all: all, environmentID: by.EnvironmentID, take: take, to: &out}
		return a.run()
	})
	return out, err
}

// adding is one report under way.
type adding struct {
	ctx           context.Context
	all           db.Reader
	environmentID string
	take          MonthDocuments
	to            *MonthReport
	documents     int
}

func (a *adding) run() error {
	invoices := a.all.Invoices
	for _, movement := range []monthly.Movement{monthly.Issued, monthly.Voided, monthly.Uncollectible} {
		err := pages(a, movement, invoices.MonthInvoices, func(i monthly.Invoice) (string, error) {
			a.to.Invoice(i)
			return i.ID, hand(a.take.Invoice, i)
		})
		if err != nil {
			return err
		}
	}
	err := pages(a, "", invoices.MonthNotes, func(n monthly.Note) (string, error) {
		a.to.Note(n)
		return n.ID, hand(a.take.Note, n)
	})
	if err != nil {
		return err
	}
	for _, movement := range []monthly.Movement{monthly.Collected, monthly.Refunded, monthly.Returned} {
		err := pages(a, movement, invoices.MonthPayments, func(p monthly.Payment) (string, error) {
			a.to.Payment(p)
			return p.ID, hand(a.take.Payment, p)
		})
		if err != nil {
			return err
		}
	}
	return a.books()
}

// books adds what is no document: the payments of invoices, the ledger of credit, and both at the start and the end.
func (a *adding) books() error {
	invoices, from, to := a.all.Invoices, a.to.From, a.to.To
	err := behind(a, invoices.MonthSettlements, func(s monthly.Settlement) (db.MonthCursor, error) {
		a.to.Settlement(s)
		return db.MonthCursor{At: s.At, ID: s.InvoiceID}, nil
	})
	if err != nil {
		return err
	}
	err = behind(a, invoices.MonthEntries, func(e monthly.Entry) (db.MonthCursor, error) {
		a.to.Entry(e)
		return db.MonthCursor{At: e.At, ID: e.ID}, hand(a.take.Entry, e)
	})
	if err != nil {
		return err
	}
	open, err := invoices.MonthReceivables(a.ctx, a.environmentID, from, to)
	if err != nil {
		return err
	}
	a.to.OpenInvoices(open)
	credit, err := invoices.MonthCredit(a.ctx, a.environmentID, from, to)
	a.to.Balances(credit)
	return err
}

// pages reads the documents of a movement to their end. one takes a document and returns its id.
func pages[T any](
	a *adding, movement monthly.Movement,
	read func(context.Context, string, db.MonthFilter, db.Page) ([]T, bool, error), one func(T) (string, error),
) error {
	f := db.MonthFilter{Movement: movement, From: a.to.From, To: a.to.To, Oldest: true}
	page := db.Page{Limit: monthPage}
	for more := true; more; {
		documents, hasMore, err := read(a.ctx, a.environmentID, f, page)
		if err != nil {
			return err
		}
		for _, d := range documents {
			if page.StartingAfter, err = one(d); err != nil {
				return err
			}
		}
		if err := a.count(len(documents)); err != nil {
			return err
		}
		more = hasMore
	}
	return nil
}

// behind reads what has no movement to its end. one takes a row and returns its cursor.
func behind[T any](
	a *adding, read func(context.Context, string, db.MonthFilter, db.MonthCursor, int) ([]T, error),
	one func(T) (db.MonthCursor, error),
) error {
	var after db.MonthCursor
	for {
		rows, err := read(a.ctx, a.environmentID, db.MonthFilter{From: a.to.From, To: a.to.To}, after, monthPage)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if after, err = one(row); err != nil {
				return err
			}
		}
		if len(rows) < monthPage {
			return nil
		}
	}
}

// ErrMonthTooLarge refuses a report that would take longer than its caller waits.
var ErrMonthTooLarge = fault.New(fault.Conflict, "month_too_large",
	"The month has too many documents to be added up within the time of one request. Run `perennial report month`, or "+
		"add up the lists of the month.")

func (a *adding) count(more int) error {
	a.documents += more
	if a.take.AtMost > 0 && a.documents > a.take.AtMost {
		return ErrMonthTooLarge
	}
	if a.take.Progress != nil {
		a.take.Progress(a.documents)
	}
	return nil
}

func hand[T any](to func(T) error, document T) error {
	if to == nil {
		return nil
	}
	return to(document)
}
