// Package rows writes tables of which several statements insert, update or copy the same columns. A row is the struct
// that sqlc generates from the schema. The columns of every statement come from it (tables.go is generated), so that a
// new column is written by all of them until a statement leaves it out by name.
//
// Not here, but in db/queries: reads; the single short insert of a table; and statements that change a few columns for
// a special reason, such as SubscriptionSetStarted. It does not own how a row becomes a value of the domain (db).
package rows

//go:generate go run ./gen -models ../dbsqlc/models.go -out tables.go

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"perennial/db/internal/dbsqlc"
)

// table has the columns of a table in the order of their fields in the row.
type table[R any] struct {
	name    string
	columns []string
	value   func(row *R, column int) any
}

// but returns all columns except some. A name that is no column panics when the program starts.
func (t table[R]) but(except ...string) []string {
	t.require(except)
	return slices.DeleteFunc(slices.Clone(t.columns), func(c string) bool { return slices.Contains(except, c) })
}

// only returns the named columns. A statement uses it if it must not write columns that are added to the table later.
func (t table[R]) only(columns ...string) []string {
	t.require(columns)
	return columns
}

func (t table[R]) require(columns []string) {
	for _, c := range columns {
		if !slices.Contains(t.columns, c) {
			panic("rows: " + t.name + " has no column " + c)
		}
	}
}

// Statement writes one row.
type Statement[R any] struct {
	sql string
	picked[R]
}

// picked are the columns of a row that a statement takes: as $1, $2 …, or as those that it copies.
type picked[R any] struct {
	columns []int
	value   func(row *R, column int) any
}

func (p picked[R]) values(row *R) []any {
	values := make([]any, len(p.columns))
	for i, column := range p.columns {
		values[i] = p.value(row, column)
	}
	return values
}

// computed are the columns whose value is an expression instead of the row's own value.
type computed map[string]string

// place matches the places of a statement's columns in its text, or of the value of one of them.
var place = regexp.MustCompile(`\{columns\}|\{values\}|\{assignments\}|@[a-z_]+`)

// statement returns a statement, which Written lists.
func (t table[R]) statement(name, text string, columns []string, by computed) Statement[R] {
	s := t.build(name, text, columns, by)
	written = append(written, s.sql)
	return s
}

// insert makes the statement that inserts some columns.
func (t table[R]) insert(name string, columns []string) Statement[R] {
	return t.statement(name, "\ninsert into "+t.name+" ({columns}) values ({values})", columns, nil)
}

// ofRevision holds for the row as the caller read it under lock.
const ofRevision = "environment_id = @environment_id and id = @id and revision = @revision"

// update makes the statement that updates some columns where a condition holds. Where it holds for no row, it fails.
func (t table[R]) update(name, where string, columns []string, by computed) Statement[R] {
	return t.statement(name, `
with written as (
    update `+t.name+`
    set {assignments}
    where `+where+`
    returning 1
)
select 1 / count(*) from written`, columns, by)
}

// build returns a statement from its text, in which {columns} stands for the names of columns, {values} for their
// values in the same order, {assignments} for both as an update sets them, and @column for the value of a column of the
// row. The text is constant, since connections prepare each text once.
func (t table[R]) build(name, text string, columns []string, by computed) Statement[R] {
	given := picked[R]{value: t.value}
	parameter := func(column string) string {
		t.require([]string{column})
		of := slices.Index(t.columns, column)
		n := slices.Index(given.columns, of)
		if n < 0 {
			given.columns, n = append(given.columns, of), len(given.columns)
		}
		return fmt.Sprintf("$%d", n+1)
	}
	parameters := func(expression string) string {
		return place.ReplaceAllStringFunc(expression, func(p string) string { return parameter(p[1:]) })
	}
	for column := range by {
		if !slices.Contains(columns, column) {
			panic("rows: " + name + " computes " + column + ", which it does not write")
		}
	}
	values := func(form func(column, value string) string) string {
		var list []string
		for _, column := range columns {
			expression, ok := by[column]
			if !ok {
				expression = "@" + column
			}
			list = append(list, form(column, parameters(expression)))
		}
		return strings.Join(list, ", ")
	}
	sql := "-- name: " + name + " :exec" + place.ReplaceAllStringFunc(text, func(p string) string {
		switch p {
		case "{columns}":
			return strings.Join(columns, ", ")
		case "{values}":
			return values(func(_, value string) string { return value })
		case "{assignments}":
			return values(func(column, value string) string { return column + " = " + value })
		}
		return parameter(p[1:])
	})
	return Statement[R]{sql, given}
}

// written has the text of every statement.
var written []string

// Written returns the text of every statement, for what checks them all.
func Written() []string { return slices.Clone(written) }

// Exec writes a row.
func (s Statement[R]) Exec(ctx context.Context, to dbsqlc.DBTX, row *R) error {
	_, err := to.Exec(ctx, s.sql, s.values(row)...)
	return err
}

// QueryRow writes a row and returns the row that the statement returns.
func (s Statement[R]) QueryRow(ctx context.Context, to dbsqlc.DBTX, row *R) pgx.Row {
	return to.QueryRow(ctx, s.sql, s.values(row)...)
}

// Copy writes many rows at once.
type Copy[R any] struct {
	table   pgx.Identifier
	columns []string
	picked  picked[R]
}

// copying makes a Copy that writes some columns.
func (t table[R]) copying(columns []string) Copy[R] {
	c := Copy[R]{pgx.Identifier{t.name}, columns, picked[R]{value: t.value}}
	for _, column := range columns {
		c.picked.columns = append(c.picked.columns, slices.Index(t.columns, column))
	}
	return c
}

// Copier receives rows in PostgreSQL's protocol for copies.
type Copier interface {
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// Exec writes the rows.
func (c Copy[R]) Exec(ctx context.Context, to Copier, rows []R) error {
	source := pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) { return c.picked.values(&rows[i]), nil })
	_, err := to.CopyFrom(ctx, c.table, c.columns, source)
	return err
}
