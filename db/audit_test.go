package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"perennial/billing/audit"
	"perennial/db"
	"perennial/internal/id"
)

// audited commits a transaction of a key and returns the id of its entry.
func (b *bundle) audited(t *testing.T, call db.Call) (entryID string) {
	t.Helper()
	require.NoError(t, b.store.InTx(t.Context(), db.ByKey("key_1").Doing(call), now, func(*db.Tx) error { return nil }))
	require.NoError(
		t, b.pool.QueryRow(t.Context(), "select id from audit_log order by position desc limit 1").Scan(&entryID),
	)
	return entryID
}

func (b *bundle) seal(t *testing.T, environmentID string) (n int) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		var err error
		n, err = tx.Tenancy.SealAudit(ctx, environmentID, 100)
		require.NoError(t, err)
	})
	return n
}

func TestAudit_EntryTellsCall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	address := netip.MustParseAddr("2001:db8::7")
	entryID := b.audited(t, db.Call{
		EnvironmentID: b.env, Operation: "updatePlan", Scopes: []string{"read", "*"}, RequestID: "req_1", Address: address,
		ObjectID: b.plan.ID, Status: 200, Body: []byte(`{"name":"ada@example.com","active":false}`),
		Claim: audit.Claim{For: "user 4711"},
	})
	entries, more, err := b.store.Tenancy.AuditLog(t.Context(), b.env, db.AuditFilter{}, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, entries, 1)
	e := entries[0]
	require.True(t, e.AddressIntact())
	require.JSONEq(t, `[{"claim":"user 4711"},{"field":"active","after":false},{"field":"name"}]`, string(e.Changes))
	e.Position, e.AddressSalt, e.AddressDigest, e.Changes = 0, nil, nil, nil
	require.Equal(t, audit.Entry{
		ID: entryID, EnvironmentID: b.env, CreatedAt: wall, ActorKind: "key", ActorID: "key_1",
		ActorScopes: []string{"read", "*"}, Operation: "updatePlan", ObjectType: "plan", ObjectID: b.plan.ID,
		RequestID: "req_1", Status: 200, Address: address,
	}, e)
}

// A write that must be audited cannot skip it: without a call, or without an environment, nothing is committed. A
// transaction that is rolled back leaves no entry, and neither does Perennial's automatic work.
func TestAudit_EntryAndEffectCommitTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	insert := func(actor db.Actor, fn func(*db.Tx) error) error {
		return b.store.InTx(t.Context(), actor, now, func(tx *db.Tx) error {
			tx.Audit(b.env)
			if err := tx.Catalog.InsertProduct(t.Context(), b.env, aProduct(id.New(id.Product, wall))); err != nil {
				return err
			}
			return fn(tx)
		})
	}
	rows := func() [2]int {
		return [2]int{b.count(t, "select count(*) from products"), b.count(t, "select count(*) from audit_log")}
	}
	fine := func(*db.Tx) error { return nil }
	for _, actor := range []db.Actor{db.ByKey("key_1"), db.ByCLI("ada"), db.ByOperator("op_1"),
		db.ByCLI("ada").Doing(db.Call{})} {
		require.ErrorContains(t, insert(actor, fine), "without an entry")
	}
	nowhere := db.ByCLI("ada").Doing(db.Call{Operation: "perennial key create"})
	require.ErrorContains(t, b.store.InTx(t.Context(), nowhere, now, fine), "without an entry")
	refused := errors.New("refused")
	require.ErrorIs(t, insert(nowhere, func(*db.Tx) error { return refused }), refused)
	require.Equal(t, [2]int{}, rows())
	require.NoError(t, insert(nowhere, fine))
	require.Equal(t, [2]int{1, 1}, rows())
	require.NoError(t, insert(db.ByWorkflow("sub_1"), fine))
	require.NoError(t, insert(nowhere, func(tx *db.Tx) error { tx.AuditNothing("a test"); return nil }))
	require.Equal(t, [2]int{3, 1}, rows())
	require.Equal(t, []string{b.env}, b.store.TakeUnsealed())
	require.Empty(t, b.store.TakeUnsealed())
}

// changesOf returns the changes in the last entry about an object.
func (b *bundle) changesOf(t *testing.T, objectID string) (changes []audit.Change) {
	t.Helper()
	entries, _, err := b.store.Tenancy.AuditLog(t.Context(), b.env, db.AuditFilter{ObjectID: objectID}, db.Page{})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(entries[0].Changes, &changes))
	return changes
}

func TestAudit_ChangesOfOtherObjectsAreNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := db.ByKey("key_1").Doing(db.Call{EnvironmentID: b.env, Operation: "x", ObjectID: "sub_1",
		Body: []byte(`{"a":1}`)})
	require.NoError(t, b.store.InTx(t.Context(), by, now, func(tx *db.Tx) error {
		tx.AuditMade("txn_1")
		tx.AuditChanges(audit.Change{ObjectID: "sub_1", Field: "status"}, audit.Change{ObjectID: "in_1", Field: "paidAt"})
		return nil
	}))
	require.Equal(t, []audit.Change{
		{Field: "status"}, {ObjectID: "in_1", Field: "paidAt"}, {ObjectID: "txn_1", Field: "created"},
	}, b.changesOf(t, "sub_1"))
}

// A field of the request is listed once: as the change that it led to, but not as a change of another object.
func TestAudit_FieldsOfTheRequestBesideThoseOfOtherObjects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := db.ByKey("key_1").Doing(db.Call{
		EnvironmentID: b.env, Operation: "x", ObjectID: "sub_1", Body: []byte(`{"quantity":2,"status":"active","amount":5}`),
	})
	require.NoError(t, b.store.InTx(t.Context(), by, now, func(tx *db.Tx) error {
		tx.AuditAlso(audit.Change{Field: "quantity", Before: json.RawMessage("1"), After: json.RawMessage("2")},
			audit.Change{ObjectID: "sub_1", Field: "amount"}, audit.Change{ObjectID: "in_1", Field: "status"})
		return nil
	}))
	require.Equal(t, []audit.Change{
		{Field: "status", After: json.RawMessage(`"active"`)},
		{Field: "quantity", Before: json.RawMessage("1"), After: json.RawMessage("2")},
		{Field: "amount"}, {ObjectID: "in_1", Field: "status"},
	}, b.changesOf(t, "sub_1"))
}

func TestAudit_Filters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.audited(t, db.Call{EnvironmentID: b.env, Operation: "updatePlan", ObjectID: "plan_1"})
	second := b.audited(t, db.Call{EnvironmentID: b.env, Operation: "createPlan", ObjectID: "plan_2"})
	for _, c := range []struct {
		filter db.AuditFilter
		want   []string
	}{
		{db.AuditFilter{Operation: "updatePlan"}, []string{first}},
		{db.AuditFilter{ObjectID: "plan_2"}, []string{second}},
		{db.AuditFilter{ActorID: "key_1"}, []string{second, first}},
		{db.AuditFilter{ActorID: "key_2"}, []string{}},
		{db.AuditFilter{From: wall, To: wall.Add(time.Second)}, []string{second, first}},
		{db.AuditFilter{To: wall}, []string{}},
		{db.AuditFilter{From: wall.Add(time.Second)}, []string{}},
	} {
		entries, _, err := b.store.Tenancy.AuditLog(t.Context(), b.env, c.filter, db.Page{})
		require.NoError(t, err)
		got := []string{}
		for _, e := range entries {
			got = append(got, e.ID)
		}
		require.Equal(t, c.want, got, "%+v", c.filter)
	}
	page, more, err := b.store.Tenancy.AuditLog(t.Context(), b.env, db.AuditFilter{}, db.Page{Limit: 1})
	require.NoError(t, err)
	require.True(t, more)
	page, more, err = b.store.Tenancy.AuditLog(t.Context(), b.env, db.AuditFilter{},
		db.Page{Limit: 1, StartingAfter: page[0].ID})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, first, page[0].ID)
}

// follow walks the whole chain.
func (b *bundle) follow(t *testing.T) (held int, err error) {
	t.Helper()
	var last audit.Seal
	for {
		seals, err := b.store.Tenancy.FollowAudit(t.Context(), b.env, last)
		if held += len(seals); err != nil || len(seals) == 0 {
			return held, err
		}
		last = seals[len(seals)-1]
	}
}

// The owner of the database can disable triggers; the chain shows later changes.
func TestAudit_ChainShowsWhatOwnerDid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []string
	for range 4 {
		ids = append(
			ids, b.audited(t, db.Call{EnvironmentID: b.env, Operation: "updatePlan", Address: netip.MustParseAddr("192.0.2.7")}),
		)
	}
	require.Equal(t, 4, b.seal(t, b.env))
	require.Zero(t, b.seal(t, b.env))
	b.audited(t, db.Call{EnvironmentID: b.env, Operation: "updatePlan"})
	last, err := b.store.Tenancy.LastSeal(t.Context(), b.env)
	require.NoError(t, err)
	waiting, err := b.store.Tenancy.Unsealed(t.Context(), b.env, last)
	require.NoError(t, err)
	require.Equal(t, db.Unsealed{Entries: 1, Oldest: wall}, waiting)
	behind, err := b.store.Tenancy.AuditBehind(t.Context(), "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{b.env}, behind)

	for _, sql := range []string{
		"delete from audit_log", "update audit_log set actor_id = 'x'", "update audit_log set address = null",
		"truncate audit_log",
		"update audit_log set address = null, address_salt = null, operation = 'x'", "delete from audit_seals",
		"update audit_seals set number = number + 9", "truncate audit_seals",
	} {
		_, err := b.pool.Exec(t.Context(), sql)
		var pg *pgconn.PgError
		require.ErrorAs(t, err, &pg, sql)
		require.Contains(t, []string{"PB003", "23514"}, pg.Code, sql)
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		n, err := tx.Tenancy.EraseAuditAddresses(ctx, wall.Add(time.Second), 2)
		require.NoError(t, err)
		require.Equal(t, 2, n)
	})
	held, err := b.follow(t)
	require.NoError(t, err, "an erased address leaves the chain whole")
	require.Equal(t, 4, held)

	b.asOwner(t, "create table kept_log as select * from audit_log")
	b.asOwner(t, "create table kept_seals as select * from audit_seals")
	for _, c := range []struct {
		sql, reason string
		held        int
	}{
		{"update audit_log set operation = 'x' where id = $1", "was changed", 2},
		{"delete from audit_log where id = $1", "entry is missing", 2},
		{"delete from audit_seals where entry_id = $1", "not in the chain", 2},
		{"update audit_log set position = position + 1000000 where id = $1", "entry is missing", 2},
	} {
		b.asOwner(t, c.sql, ids[2])
		held, err := b.follow(t)
		var broken *audit.Break
		require.ErrorAs(t, err, &broken, c.sql)
		require.Contains(t, broken.Reason, c.reason, c.sql)
		require.Equal(t, c.held, held, c.sql)
		for _, sql := range []string{
			"delete from audit_log", "insert into audit_log select * from kept_log",
			"delete from audit_seals", "insert into audit_seals select * from kept_seals",
		} {
			b.asOwner(t, sql)
		}
	}
	_, err = b.follow(t)
	require.NoError(t, err, "as it was")
}

// asOwner changes rows with all triggers off.
func (b *bundle) asOwner(t *testing.T, sql string, args ...any) {
	t.Helper()
	require.NoError(t, pgx.BeginFunc(t.Context(), b.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "set local session_replication_role = replica"); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	}))
}
