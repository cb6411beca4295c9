package backlog

import (
	"strings"

	"perennial/db"
)

// Named is the number of rows that a line of the doctor names; the rest is counted.
const Named = 5

// ActionOf names a subscription and its overdue action.
func ActionOf(o db.Overdue) string { return o.ID + " (" + o.Action + ")" }

// Names joins the names of rows.
func Names[T any](rows []T, name func(T) string) string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = name(row)
	}
	return strings.Join(all, ", ")
}
