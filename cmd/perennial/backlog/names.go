package backlog

import (
	"strings"

	"perennial/db"
)

// Named is how many rows a line of the doctor names; the rest it counts.
const Named = 5

// ActionOf names a subscription and what it waits for.
func ActionOf(o db.Overdue) string { return o.ID + " (" + o.Action + ")" }

// Names joins the names of rows.
func Names[T any](rows []T, name func(T) string) string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = name(row)
	}
	return strings.Join(all, ", ")
}
