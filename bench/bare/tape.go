package bare

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Tape is one recorded transaction that can be played for another subscription: the same statements in the same round
// trips, with fresh ids.
type Tape struct {
	trips [][]statement
	ids   map[string]bool
}

type statement struct {
	sql  string
	args []argument
}

// argument is a recorded value, or a function that makes this run's value.
type argument struct {
	value any
	make  func(Vars) any // nil: value as it is
}

// newTape prepares a transaction for playing. constant has the ids that are the same in every run.
func newTape(r recorded, constant map[string]bool) (Tape, error) {
	t := Tape{ids: map[string]bool{}}
	for _, batch := range r {
		var trip []statement
		for _, q := range batch {
			s := statement{sql: q.SQL}
			for _, value := range q.Arguments {
				a, err := t.argument(value, constant)
				if err != nil {
					return t, fmt.Errorf("%.40s: %w", q.SQL, err)
				}
				s.args = append(s.args, a)
			}
			trip = append(trip, s)
		}
		t.trips = append(t.trips, trip)
	}
	return t, nil
}

func (t *Tape) argument(value any, constant map[string]bool) (argument, error) {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if b, ok := value.([]byte); ok {
		if c := t.note(cut(string(b), constant)); c != nil {
			return argument{make: func(vars Vars) any { return []byte(c.with(vars)) }}, nil
		}
		return argument{value: value}, nil
	}
	if list, ok := value.([]string); ok {
		return t.list(list, constant), nil
	}
	switch v.Kind() {
	case reflect.String:
		if c := t.note(cut(v.String(), constant)); c != nil {
			return argument{make: func(vars Vars) any { return c.with(vars) }}, nil
		}
	case reflect.Map, reflect.Struct, reflect.Slice:
		document, err := json.Marshal(value)
		if err != nil {
			return argument{}, err
		}
		c := t.note(cut(string(document), constant))
		if c == nil {
			break
		}
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 {
			return argument{}, fmt.Errorf("a list of ids is not foreseen: %s", document)
		}
		return argument{make: func(vars Vars) any { return c.with(vars) }}, nil
	default: // no ids in numbers
	}
	return argument{value: value}, nil
}

// list returns an argument of several texts, each of which may have ids.
func (t *Tape) list(recorded []string, constant map[string]bool) argument {
	cuts, fresh := make([]text, len(recorded)), false
	for i, s := range recorded {
		cuts[i] = t.note(cut(s, constant))
		fresh = fresh || cuts[i] != nil
	}
	if !fresh {
		return argument{value: recorded}
	}
	return argument{make: func(vars Vars) any {
		list := slices.Clone(recorded)
		for i, c := range cuts {
			if c != nil {
				list[i] = c.with(vars)
			}
		}
		return list
	}}
}

func (t *Tape) note(c text) text {
	for _, id := range c.ids() {
		t.ids[id] = true
	}
	return c
}

// writesOnly returns the tape without its reads and locks: one round trip of BEGIN, the writes and COMMIT.
func (t Tape) writesOnly() Tape {
	var trip []statement
	for _, batch := range t.trips {
		for _, s := range batch {
			if !isRead(s.sql) {
				trip = append(trip, s)
			}
		}
	}
	return Tape{trips: [][]statement{trip}, ids: t.ids}
}

func isRead(sql string) bool {
	for line := range strings.Lines(sql) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--") {
			return strings.HasPrefix(strings.ToLower(line), "select")
		}
	}
	return false
}

// statements returns the numbers of statements and round trips of the tape.
func (t Tape) statements() (statements, trips int) {
	for _, trip := range t.trips {
		statements += len(trip)
	}
	return statements, len(t.trips)
}

// Play runs the transaction. vars has the known ids, and gets the invented ones.
func (t Tape) Play(ctx context.Context, pool *pgxpool.Pool, vars Vars) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // a connection inside a failed transaction is closed, not reused
	for _, trip := range t.trips {
		if err := playTrip(ctx, conn.Conn(), trip, vars); err != nil {
			return err
		}
	}
	return nil
}

// playTrip sends the statements of one round trip.
func playTrip(ctx context.Context, conn *pgx.Conn, trip []statement, vars Vars) error {
	if len(trip) == 1 { // as the product sends it
		tag, err := conn.Exec(ctx, trip[0].sql, trip[0].with(vars)...)
		return cmp.Or(err, trip[0].check(tag))
	}
	var b pgx.Batch
	for _, s := range trip {
		b.Queue(s.sql, s.with(vars)...)
	}
	results := conn.SendBatch(ctx, &b)
	for _, s := range trip {
		tag, err := results.Exec()
		if err = cmp.Or(err, s.check(tag)); err != nil {
			_ = results.Close() // repeats the error
			return err
		}
	}
	return results.Close()
}

// check refuses an update without a row: it would measure nothing.
func (s statement) check(tag pgconn.CommandTag) error {
	if tag.Update() && tag.RowsAffected() == 0 && strings.Contains(s.sql, "Update") {
		return fmt.Errorf("%.40s: changed no row", s.sql)
	}
	return nil
}

// with returns the arguments of one run.
func (s statement) with(vars Vars) []any {
	args := make([]any, len(s.args))
	for i, a := range s.args {
		if args[i] = a.value; a.make != nil {
			args[i] = a.make(vars)
		}
	}
	return args
}
