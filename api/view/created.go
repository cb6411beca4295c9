package view

import (
	"time"

	"perennial/billing/fault"
)

// Created is the part of list requests that bounds when an entry was created; exported only so that huma sees its
// fields. All bounds given count together. Times of the API are whole seconds, so that an entry was created in the
// second that it shows.
type Created struct {
	From   int64 `query:"created[gte]" minimum:"0" maximum:"253402300799" example:"1763640000" doc:"Only entries created at this time or later. Unix seconds."`
	After  int64 `query:"created[gt]" minimum:"0" maximum:"253402300799" example:"1763640000" doc:"Only entries created later than this. Unix seconds."`
	UpTo   int64 `query:"created[lte]" minimum:"0" maximum:"253402300799" example:"1763726400" doc:"Only entries created at this time or earlier. Unix seconds."`
	Before int64 `query:"created[lt]" minimum:"0" maximum:"253402300799" example:"1763726400" doc:"Only entries created earlier than this. Unix seconds."`
}

// Span returns the time that the bounds leave: from the first instant on, before the second; zero: that end is open. An
// empty span is a mistake in the caller's arithmetic; an empty list would hide it. Fault: time_span_empty.
func (c Created) Span() (from, to time.Time, err error) {
	first, end := c.From, c.Before
	if c.After > 0 {
		first = max(first, c.After+1)
	}
	if c.UpTo > 0 && (end == 0 || c.UpTo+1 < end) {
		end = c.UpTo + 1
	}
	if first > 0 && end > 0 && first >= end {
		return from, to, fault.InvalidParam("created", "time_span_empty",
			"The bounds of `created` leave no time. Send a lower bound that is before the upper one.")
	}
	if first > 0 {
		from = time.Unix(first, 0).UTC()
	}
	if end > 0 {
		to = time.Unix(end, 0).UTC()
	}
	return from, to, nil
}
