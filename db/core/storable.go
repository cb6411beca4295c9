package core

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// replacement replaces characters that PostgreSQL does not store in texts: NUL, and bytes that are not UTF-8. A jsonb
// refuses both and half a surrogate pair also where they are escaped.
const replacement = "\uFFFD"

// storable returns the arguments of a statement with texts that PostgreSQL can store. Every statement passes it, and no
// other code needs to know: what stores a provider's words, a receiver's answer or a file would otherwise fail, and
// fail again with each repetition. The API refuses such texts before. It replaces elements of args, and nothing that
// they refer to.
func storable(args []any) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case nil, bool, int, int32, int64, []byte, time.Time, *time.Time:
		case string:
			if text := storableText(v); text != v {
				args[i] = text
			}
		case []string:
			args[i] = storableTexts(v)
		default:
			args[i] = storableValue(v)
		}
	}
	return args
}

func storableText(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, replacement), "\x00", replacement)
}

func storableTexts(texts []string) []string {
	if !slices.ContainsFunc(texts, func(s string) bool { return storableText(s) != s }) {
		return texts
	}
	changed := make([]string, len(texts))
	for i, s := range texts {
		changed[i] = storableText(s)
	}
	return changed
}

// storableValue is storable for named types of texts, pointers to texts, and lists of named ones.
func storableValue(arg any) any {
	v := reflect.ValueOf(arg)
	switch {
	case v.Kind() == reflect.String:
		if text := storableText(v.String()); text != v.String() {
			return reflect.ValueOf(text).Convert(v.Type()).Interface()
		}
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.String && !v.IsNil():
		if text := storableText(v.Elem().String()); text != v.Elem().String() {
			changed := reflect.New(v.Type().Elem())
			changed.Elem().SetString(text)
			return changed.Interface()
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String && !v.IsNil():
		changed := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			changed.Index(i).SetString(storableText(v.Index(i).String()))
		}
		return changed.Interface()
	}
	return arg
}

// storing is a handle outside of a Tx whose arguments are storable.
type storing struct{ Handle }

func (s storing) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return s.Handle.Exec(ctx, sql, storable(args)...)
}

func (s storing) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return s.Handle.Query(ctx, sql, storable(args)...)
}

func (s storing) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := s.Handle.Query(ctx, sql, storable(args)...)
	return oneRow{rows, err, sql}
}

func (s storing) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, q := range b.QueuedQueries {
		q.Arguments = storable(q.Arguments)
	}
	return s.Handle.SendBatch(ctx, b)
}

// storingRows are rows to be copied whose values are storable.
type storingRows struct{ pgx.CopyFromSource }

func (r storingRows) Values() ([]any, error) {
	values, err := r.CopyFromSource.Values()
	return storable(values), err
}

// storeJSON makes a connection do to JSON values what storable does to texts. pgx encodes them, from bytes and from
// types of ours: only there are they seen.
func storeJSON(conn *pgx.Conn) {
	types := conn.TypeMap()
	for _, t := range []struct {
		name       string
		oid, array uint32
	}{{"json", pgtype.JSONOID, pgtype.JSONArrayOID}, {"jsonb", pgtype.JSONBOID, pgtype.JSONBArrayOID}} {
		known, ok := types.TypeForOID(t.oid)
		if !ok {
			continue
		}
		element := &pgtype.Type{Name: t.name, OID: t.oid, Codec: jsonCodec{known.Codec}}
		types.RegisterType(element)
		types.RegisterType(&pgtype.Type{
			Name: "_" + t.name, OID: t.array, Codec: &pgtype.ArrayCodec{ElementType: element},
		})
	}
}

type jsonCodec struct{ pgtype.Codec }

func (c jsonCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if plan := c.Codec.PlanEncode(m, oid, format, value); plan != nil {
		return jsonPlan{plan}
	}
	return nil
}

type jsonPlan struct{ pgtype.EncodePlan }

func (p jsonPlan) Encode(value any, buf []byte) ([]byte, error) {
	encoded, err := p.EncodePlan.Encode(value, buf)
	if err != nil || encoded == nil {
		return encoded, err
	}
	return append(encoded[:len(buf)], storableJSON(encoded[len(buf):])...), nil
}

// storableJSON replaces in texts of JSON values what PostgreSQL does not store.
func storableJSON(raw []byte) []byte {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte(replacement))
	}
	if !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		switch unit, escaped := escapedUnit(raw[i:]); {
		case raw[i] != '\\':
			out = append(out, raw[i])
			i++
		case !escaped: // \n, and \\ before a u
			n := min(2, len(raw)-i)
			out = append(out, raw[i:i+n]...)
			i += n
		case isSurrogate(unit):
			if low, ok := escapedUnit(raw[i+unitLength:]); ok && unit < firstLow && low >= firstLow && isSurrogate(low) {
				out = append(out, raw[i:i+2*unitLength]...)
				i += 2 * unitLength
				continue
			}
			out = append(out, replacement...)
			i += unitLength
		case unit == 0:
			out = append(out, replacement...)
			i += unitLength
		default:
			out = append(out, raw[i:i+unitLength]...)
			i += unitLength
		}
	}
	return out
}

const (
	unitLength = len(`\u0000`)
	firstLow   = 0xDC00 // of the second halves of surrogate pairs
)

func isSurrogate(unit uint64) bool { return unit >= 0xD800 && unit <= 0xDFFF }

// escapedUnit reads \uXXXX at the beginning of raw.
func escapedUnit(raw []byte) (unit uint64, ok bool) {
	if len(raw) < unitLength || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:unitLength]), 16, 32)
	return unit, err == nil
}
