package core

import (
	"cmp"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// oneRow is the one row that a statement returns. pgx decides for each column how its value becomes that of a Go type,
// once for all rows of an answer. For one row with seventy columns that costs more than the rest of scanning it, so it
// is cached here, with the connection, whose types the plans refer to.
type oneRow struct {
	rows pgx.Rows
	err  error
	sql  string
}

// Scan implements pgx.Row.
func (p oneRow) Scan(dest ...any) error {
	if p.err != nil {
		return p.err
	}
	defer p.rows.Close()
	if !p.rows.Next() {
		p.rows.Close()
		return cmp.Or(p.rows.Err(), pgx.ErrNoRows)
	}
	if err := p.rows.Scan(destinations{p.sql, dest}); err != nil {
		return err
	}
	p.rows.Close()
	return p.rows.Err()
}

// destinations receive the columns of a row.
type destinations struct {
	sql  string
	dest []any
}

// ScanRow implements pgx.RowScanner.
func (d destinations) ScanRow(rows pgx.Rows) error {
	conn, fields, values := rows.Conn(), rows.FieldDescriptions(), rows.RawValues()
	if len(values) != len(d.dest) {
		return rows.Scan(d.dest...) // says so
	}
	plans := plansOf(conn, d.sql, len(d.dest))
	for i, dst := range d.dest {
		plan, field := &plans[i], fields[i]
		if of := reflect.TypeOf(dst); plan.of != of || plan.oid != field.DataTypeOID || plan.format != field.Format {
			*plan = columnPlan{of, field.DataTypeOID, field.Format,
				conn.TypeMap().PlanScan(field.DataTypeOID, field.Format, dst)}
		}
		if err := plan.Scan(values[i], dst); err != nil {
			return pgx.ScanArgError{ColumnIndex: i, FieldName: field.Name, Err: err}
		}
	}
	return nil
}

// columnPlan converts the values of a column to a Go type.
type columnPlan struct {
	of     reflect.Type
	oid    uint32
	format int16
	pgtype.ScanPlan
}

// plansKey names the plans of each statement among the data of a connection.
const plansKey = "perennial plans"

// plansOf returns a connection's plans for a statement with this number of columns. A connection is not shared while it
// is in use.
func plansOf(conn *pgx.Conn, sql string, columns int) []columnPlan {
	kept := conn.PgConn().CustomData()
	all, ok := kept[plansKey].(map[string][]columnPlan)
	if !ok {
		all = map[string][]columnPlan{}
		kept[plansKey] = all
	}
	plans := all[sql]
	if len(plans) != columns {
		plans = make([]columnPlan, columns)
		all[sql] = plans
	}
	return plans
}
