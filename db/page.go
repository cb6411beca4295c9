package db

import "slices"

// Page is a piece of a list, newest first. The cursors are IDs: StartingAfter continues to older rows, EndingBefore goes
// back to newer ones.
type Page struct {
	Limit         int // 0: 20
	StartingAfter string
	EndingBefore  string
}

const defaultLimit = 20

// above every ID, in any collation: their prefixes begin with other letters.
const pastEveryID = "zzzz"

func (p Page) limit() int {
	if p.Limit <= 0 {
		return defaultLimit
	}
	return p.Limit
}

// rowLimit asks for one row more than the page holds, which tells whether there are more.
func (p Page) rowLimit() int32 { return int32(p.limit() + 1) } // api bounds it to 100

func (p Page) below() string {
	if p.StartingAfter == "" {
		return pastEveryID
	}
	return p.StartingAfter
}

func (p Page) above() string { return p.EndingBefore }

// forward: rows are read oldest first, from the cursor on, and turned round afterwards.
func (p Page) forward() bool { return p.EndingBefore != "" }

// cut makes a page of what was read.
func cut[R, T any](p Page, rows []R, from func(R) T) (items []T, hasMore bool) {
	if hasMore = len(rows) > p.limit(); hasMore {
		rows = rows[:p.limit()]
	}
	items = make([]T, 0, len(rows))
	for _, row := range rows {
		items = append(items, from(row))
	}
	if p.forward() {
		slices.Reverse(items)
	}
	return items, hasMore
}
