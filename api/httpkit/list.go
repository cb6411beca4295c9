package httpkit

import (
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
)

// List is one page, newest first.
type List[T any] struct {
	Data    []T  `json:"data" doc:"Newest first."`
	HasMore bool `json:"hasMore" doc:"Whether more entries exist in the direction of the cursor."`
}

// MaxPage bounds a page.
const MaxPage = 100

// Page is the part of every list request; exported only so that huma sees its fields. Cursors are ids: a page is stable
// whatever is created meanwhile, and nothing appears behind a cursor that a page gave.
type Page struct {
	Limit         int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"The maximum number of entries to return."`
	StartingAfter string `query:"startingAfter" maxLength:"64" doc:"The id of an entry of this list. Returns the entries after it, which are older."`
	EndingBefore  string `query:"endingBefore" maxLength:"64" doc:"The id of an entry of this list. Returns the entries before it, which are newer. Safe for polling: no entry appears later behind an id that was returned."`
}

// DB checks the page and the ids in other parameters of the query. prefix is that of the ids in the list: any other
// text as a cursor would silently end the list early, or begin it again.
func (p Page) DB(prefix string, filters ...Reference) (db.Page, error) {
	if p.StartingAfter != "" && p.EndingBefore != "" {
		return db.Page{}, fault.InvalidParam("endingBefore", "parameters_exclusive",
			"Send `startingAfter` or `endingBefore`, not both.")
	}
	// one at most
	for param, cursor := range map[string]string{"startingAfter": p.StartingAfter, "endingBefore": p.EndingBefore} {
		if cursor != "" && !id.Is(prefix, cursor) {
			return db.Page{}, fault.InvalidParam(param, "cursor_malformed",
				"The cursor is malformed. Send the id of an entry of this list, `%s…`.", prefix)
		}
	}
	for _, f := range filters {
		if f.id != "" && !id.Is(f.prefix, f.id) {
			return db.Page{}, fault.InvalidParam(f.param, "id_malformed",
				"`%s` is malformed. Send an id of the form `%s…`.", f.param, f.prefix)
		}
	}
	return db.Page{Limit: p.Limit, StartingAfter: p.StartingAfter, EndingBefore: p.EndingBefore}, nil
}

// Reference is a filter by the id of another resource.
type Reference struct{ param, prefix, id string }

// Refers returns a filter: param is its name for callers, prefix that of the ids it takes.
func Refers(param, prefix, value string) Reference { return Reference{param, prefix, value} }

// ListOf renders one page of rows.
func ListOf[R, T any](rows []R, hasMore bool, err error, render func(R) T) (*Reply[List[T]], error) {
	if err != nil {
		return nil, err
	}
	data := make([]T, len(rows)) // never nil: an empty page is [], not null
	for i, row := range rows {
		data[i] = render(row)
	}
	return OK(List[T]{Data: data, HasMore: hasMore}), nil
}
