package api

import (
	"perennial/billing/fault"
	"perennial/db"
)

// List is one page, newest first.
type List[T any] struct {
	Data    []T  `json:"data" doc:"Newest first."`
	HasMore bool `json:"hasMore" doc:"Whether there is more in the direction of the cursor."`
}

// maxPage bounds a page.
const maxPage = 100

// Page is the part of every list request; exported only so that huma sees its fields. Cursors are ids: a page is stable whatever is created meanwhile.
type Page struct {
	Limit         int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"How many to answer."`
	StartingAfter string `query:"startingAfter" maxLength:"64" doc:"An id: the page after it, that is older."`
	EndingBefore  string `query:"endingBefore" maxLength:"64" doc:"An id: the page before it, that is newer."`
}

func (p Page) db() (db.Page, error) {
	if p.StartingAfter != "" && p.EndingBefore != "" {
		return db.Page{}, fault.InvalidParam("endingBefore", "parameters_exclusive", "send startingAfter or endingBefore, not both")
	}
	return db.Page{Limit: p.Limit, StartingAfter: p.StartingAfter, EndingBefore: p.EndingBefore}, nil
}

// list renders one page of rows.
func list[R, T any](rows []R, hasMore bool, err error, render func(R) T) (*reply[List[T]], error) {
	if err != nil {
		return nil, err
	}
	data := make([]T, len(rows)) // never nil: an empty page is [], not null
	for i, row := range rows {
		data[i] = render(row)
	}
	return ok(List[T]{Data: data, HasMore: hasMore}), nil
}
