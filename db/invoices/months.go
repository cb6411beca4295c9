package invoices

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/monthly"
	"perennial/billing/tax"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Reads of the documents of a span of time, by the moment that decides their month: docs/adr/0082-months-end.md.

// Noted is the movement of credit notes in cursors.
const noted monthly.Movement = "noted"

// MonthFilter names the documents of [From, To) with one movement; credit notes have none.
type MonthFilter struct {
	Movement monthly.Movement
	From, To time.Time
	// Oldest reads the oldest first, for reports; else the newest.
	Oldest bool
}

// window has the documents of a page: those between two pairs of moment and id.
type window struct {
	aboveAt, belowAt time.Time
	aboveID, belowID string
	forward          bool
	limit            int32
}

// window finds the documents of a page. Fault: cursor_unknown.
func (r Reader) window(ctx context.Context, environmentID string, f MonthFilter, page core.Page) (window, error) {
	w := window{ // every id comes after the empty text
		aboveAt: f.From, belowAt: f.To, forward: f.Oldest || page.Forward(), limit: page.RowLimit(),
	}
	cursor, param := page.StartingAfter, "startingAfter"
	if page.EndingBefore != "" {
		cursor, param = page.EndingBefore, "endingBefore"
	}
	if cursor == "" {
		return w, nil
	}
	at, err := core.Queries.MonthCursorGet(ctx, r.Handle, dbsqlc.MonthCursorGetParams{
		EnvironmentID: environmentID, ID: cursor, Movement: string(f.Movement),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows) || err == nil && (at.Before(f.From) || !at.Before(f.To)):
		return w, fault.InvalidParam(param, "cursor_unknown",
			"The cursor does not exist in this list. Send the id of an entry that the list returned.")
	case err != nil:
		return w, core.Translate("MonthCursorGet", err)
	case f.Oldest != page.Forward(): // behind the cursor is what is later, or before it what is newer
		w.aboveAt, w.aboveID = at, cursor
	default:
		w.belowAt, w.belowID = at, cursor
	}
	return w, nil
}

// MonthInvoices lists invoices by a movement. Of voided and uncollectible ones it also reads what credit notes
// had given back until then.
func (r Reader) MonthInvoices(
	ctx context.Context, environmentID string, f MonthFilter, page core.Page,
) (all []monthly.Invoice, hasMore bool, err error) {
	w, err := r.window(ctx, environmentID, f, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.MonthInvoiceList(ctx, r.Lists(), dbsqlc.MonthInvoiceListParams{
		EnvironmentID: environmentID, Movement: string(f.Movement), AboveAt: w.aboveAt, AboveID: w.aboveID,
		BelowAt: w.belowAt, BelowID: w.belowID, Forward: w.forward, RowLimit: w.limit,
	})
	if err != nil {
		return nil, false, core.Translate("MonthInvoiceList", err)
	}
	var noted []string
	all, hasMore = core.Cut(page, rows, func(row dbsqlc.MonthInvoiceListRow) monthly.Invoice {
		if row.Credited != 0 && f.Movement != monthly.Issued {
			noted = append(noted, row.ID)
		}
		return monthly.Invoice{
			ID: row.ID, Number: core.Value(row.Number), NumberText: core.Value(row.NumberText), CustomerID: row.CustomerID,
			Movement: f.Movement, At: row.At, Asked: max(row.Total, 0), Outstanding: row.AmountDue,
			CreditedDue: row.CreditedDue,
			Worth: worth(row.Currency, row.Country, core.Value(row.TaxExempt), row.Total, row.Tax, core.Value(row.Taxes),
				row.Untaxed),
		}
	})
	return all, hasMore, r.addNotes(ctx, environmentID, f.Movement, all, noted)
}

func worth(
	c money.Currency, country string, exempt tax.Exemption, total, added money.Minor, taxes invoice.Taxes, untaxed int64,
) monthly.Worth {
	return monthly.Worth{
		Currency: c, Country: country, Exemption: exempt, Gross: total, TaxAdded: added, Taxes: taxes,
		Untaxed: money.Minor(untaxed),
	}
}

// addNotes reads the credit notes that some of the invoices had at their movement.
func (r Reader) addNotes(
	ctx context.Context, environmentID string, movement monthly.Movement, all []monthly.Invoice, ids []string,
) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := core.Queries.MonthNoteListOf(ctx, r.Handle, dbsqlc.MonthNoteListOfParams{
		EnvironmentID: environmentID, InvoiceIds: ids, Movement: string(movement),
	})
	if err != nil {
		return core.Translate("MonthNoteListOf", err)
	}
	of := make(map[string]*monthly.Invoice, len(all))
	for i := range all {
		of[all[i].ID] = &all[i]
	}
	for _, row := range rows {
		inv := of[row.InvoiceID]
		inv.Notes = append(inv.Notes, worth(inv.Currency, inv.Country, inv.Exemption, row.Total, row.Tax,
			core.Value(row.Taxes), row.Untaxed))
	}
	return nil
}

// MonthNotes lists credit notes.
func (r Reader) MonthNotes(
	ctx context.Context, environmentID string, f MonthFilter, page core.Page,
) (all []monthly.Note, hasMore bool, err error) {
	f.Movement = noted
	w, err := r.window(ctx, environmentID, f, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.MonthNoteList(ctx, r.Lists(), dbsqlc.MonthNoteListParams{
		EnvironmentID: environmentID, AboveAt: w.aboveAt, AboveID: w.aboveID, BelowAt: w.belowAt, BelowID: w.belowID,
		Forward: w.forward, RowLimit: w.limit,
	})
	if err != nil {
		return nil, false, core.Translate("MonthNoteList", err)
	}
	all, hasMore = core.Cut(page, rows, func(row dbsqlc.MonthNoteListRow) monthly.Note {
		return monthly.Note{
			ID: row.ID, Number: row.Number, InvoiceID: row.InvoiceID, CustomerID: row.CustomerID, Reason: string(row.Reason),
			At: row.At, Due: row.Due, Balance: row.Balance, Refund: row.Refund,
			Worth: worth(row.Currency, row.Country, core.Value(row.TaxExempt), row.Total, row.Tax, core.Value(row.Taxes),
				row.Untaxed),
		}
	})
	return all, hasMore, nil
}

// MonthPayments lists charges and refunds by a movement.
func (r Reader) MonthPayments(
	ctx context.Context, environmentID string, f MonthFilter, page core.Page,
) (all []monthly.Payment, hasMore bool, err error) {
	w, err := r.window(ctx, environmentID, f, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.MonthPaymentList(ctx, r.Lists(), dbsqlc.MonthPaymentListParams{
		EnvironmentID: environmentID, Movement: string(f.Movement), AboveAt: w.aboveAt, AboveID: w.aboveID,
		BelowAt: w.belowAt, BelowID: w.belowID, Forward: w.forward, RowLimit: w.limit,
	})
	if err != nil {
		return nil, false, core.Translate("MonthPaymentList", err)
	}
	all, hasMore = core.Cut(page, rows, func(row dbsqlc.MonthPaymentListRow) monthly.Payment {
		return monthly.Payment{
			ID: row.ID, Movement: f.Movement, At: row.At, CustomerID: row.CustomerID, InvoiceID: core.Value(row.InvoiceID),
			ChargeID: core.Value(row.ChargeID), Provider: core.Value(row.Provider), ProviderRef: core.Value(row.ProviderRef),
			Status: row.Status, Currency: row.Currency, Amount: row.Amount,
		}
	})
	return all, hasMore, nil
}
