package customers

import (
	"context"
	"slices"
	"time"

	"perennial/billing/balance"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// CreditGrant is a grant with the time of its customer's test clock; the zero time: the customer has none.
type CreditGrant struct {
	balance.Grant
	ClockNow time.Time
}

// CreditGrantWithKey reads key and grant in one round trip. Faults: api_key_unknown; credit_grant_not_found, with the
// key.
func (r Reader) CreditGrantWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, CreditGrant, error) {
	row, err := core.Queries.CreditGrantGetWithKey(ctx, r.Handle, dbsqlc.CreditGrantGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "credit_grant", err)
		return key, CreditGrant{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), CreditGrant{GrantFromDB(row.CreditGrant), core.Value(row.ClockNow)}, nil
}

// CreditGrants lists a customer's grants, in one currency or, empty, in all.
func (r Reader) CreditGrants(
	ctx context.Context, environmentID, customerID string, currency money.Currency, page core.Page,
) (grants []CreditGrant, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.CreditGrantList(ctx, r.Lists(), dbsqlc.CreditGrantListParams{
		EnvironmentID: environmentID, CustomerID: customerID, Currency: core.Null(string(currency)),
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("CreditGrantList", err)
	}
	grants, hasMore = core.Cut(page, rows, func(row dbsqlc.CreditGrantListRow) CreditGrant {
		return CreditGrant{GrantFromDB(row.CreditGrant), core.Value(row.ClockNow)}
	})
	return grants, hasMore, nil
}

// GrantIDs returns the ids among some that are of credit grants here.
func (r Reader) GrantIDs(ctx context.Context, environmentID string, ids []string) ([]string, error) {
	found, err := core.Queries.CreditGrantListIDs(ctx, r.Handle,
		dbsqlc.CreditGrantListIDsParams{EnvironmentID: environmentID, Ids: ids})
	return found, core.Translate("CreditGrantListIDs", err)
}

// GrantTally is the number of a customer's grants in a currency that have a rest.
type GrantTally struct {
	CustomerID string
	Currency   money.Currency
	Grants     int
}

// GrantTallies counts the grants of some customers that have a rest.
func (r Reader) GrantTallies(ctx context.Context, environmentID string, customerIDs []string) ([]GrantTally, error) {
	rows, err := core.Queries.CreditGrantTally(ctx, r.Handle,
		dbsqlc.CreditGrantTallyParams{EnvironmentID: environmentID, CustomerIds: customerIDs})
	return core.Map(rows, func(row dbsqlc.CreditGrantTallyRow) GrantTally { return GrantTally(row) }),
		core.Translate("CreditGrantTally", err)
}

// LockCreditGrant reads a grant. The caller holds the lock of the balance, which guards all its grants. Fault:
// credit_grant_not_found.
func (tx *Tx) LockCreditGrant(ctx context.Context, environmentID, id string) (balance.Grant, error) {
	row, err := core.Queries.CreditGrantLock(ctx, tx.Pipe,
		dbsqlc.CreditGrantLockParams{EnvironmentID: environmentID, ID: id})
	return GrantFromDB(row.CreditGrant), core.ReadError("credit_grant", err)
}

// UsableCreditGrants counts a customer's grants in a currency with a rest. The caller holds the lock of the balance.
func (tx *Tx) UsableCreditGrants(
	ctx context.Context, environmentID, customerID string, currency money.Currency,
) (int, error) {
	n, err := core.Queries.CreditGrantCountUsable(ctx, tx.Pipe, dbsqlc.CreditGrantCountUsableParams{
		EnvironmentID: environmentID, CustomerID: customerID, Currency: currency,
	})
	return n, core.Translate("CreditGrantCountUsable", err)
}

// InsertCreditGrant writes a new grant, and its entry in the ledger.
func (tx *Tx) InsertCreditGrant(ctx context.Context, environmentID string, g balance.Grant) error {
	return tx.InsertOldCreditGrant(ctx, environmentID, g, g.GivenAt)
}

// InsertOldCreditGrant is InsertCreditGrant for a grant that was given elsewhere, in the past: the ledger has it from
// enteredAt on.
func (tx *Tx) InsertOldCreditGrant(
	ctx context.Context, environmentID string, g balance.Grant, enteredAt time.Time,
) error {
	return core.Queries.CreditGrantInsert(ctx, tx.Pipe, dbsqlc.CreditGrantInsertParams{
		ID: g.ID, EnvironmentID: environmentID, CustomerID: g.CustomerID, TestClockID: core.Null(g.TestClockID),
		Currency: g.Currency, Amount: g.Amount, Priority: g.Priority, PlanIds: g.PlanIDs, Name: core.Null(g.Name),
		Metadata: core.Present(g.Metadata), ExpiresAt: core.NullTime(g.ExpiresAt), CreatedAt: g.GivenAt,
		EntryID: id.New(id.Credit, tx.Real), EnteredAt: enteredAt,
	})
}

// EndCreditGrant marks a grant as voided or expired, and removes its rest, if any. The caller holds the lock of the
// balance.
func (tx *Tx) EndCreditGrant(
	ctx context.Context, environmentID string, g balance.Grant, left money.Minor,
	reason invoice.CreditReason, at time.Time,
) error {
	err := core.Queries.CreditGrantClose(ctx, tx.Pipe.OrElse(core.NotFound("credit_grant")), dbsqlc.CreditGrantCloseParams{
		EnvironmentID: environmentID, ID: g.ID, ExpiredAt: core.NullTime(g.ExpiredAt), VoidedAt: core.NullTime(g.VoidedAt),
	})
	if err != nil || left == 0 {
		return err
	}
	entry := invoice.CreditEntry{Amount: -left, Reason: reason, GrantID: g.ID}
	return tx.AddCredit(ctx, environmentID, g.CustomerID, g.Currency, entry, "", at)
}

// GrantsOf returns the grants that an invoice has used and that are not voided.
func GrantsOf(ctx context.Context, r core.Reader, environmentID string, inv invoice.Invoice) ([]balance.Grant, error) {
	used := IDsOfUses(inv.GrantsUsed)
	grants, err := UsableGrants(ctx, r, environmentID, inv.CustomerID, inv.Currency, used)
	if err != nil {
		return nil, core.Translate("CreditGrantListUsable", err)
	}
	return slices.DeleteFunc(grants, func(g balance.Grant) bool { return !slices.Contains(used, g.ID) }), nil
}

// UsableGrants returns the customer's grants in a currency that have a rest, and the named ones.
func UsableGrants(
	ctx context.Context, r core.Reader, environmentID, customerID string, currency money.Currency, named []string,
) (grants []balance.Grant, err error) {
	rows, err := core.Queries.CreditGrantListUsable(ctx, r.Handle, dbsqlc.CreditGrantListUsableParams{
		EnvironmentID: environmentID, CustomerID: customerID, Currency: currency, Ids: named,
	})
	for _, row := range rows {
		grants = append(grants, GrantFromDB(row.CreditGrant))
	}
	return grants, err
}

// IDsOfUses returns the ids of used grants.
func IDsOfUses(uses balance.Uses) []string {
	ids := make([]string, len(uses))
	for i, use := range uses {
		ids[i] = use.ID
	}
	return ids
}

// DueGrant names a grant that has ended with a rest.
type DueGrant struct {
	core.Ref
	CustomerID string
	Currency   money.Currency
}

// DueGrants lists ended grants in real time whose rest must be removed.
func (r Reader) DueGrants(ctx context.Context, by time.Time, limit int) ([]DueGrant, error) {
	found, err := core.Queries.CreditGrantListDue(ctx, r.Lists(),
		dbsqlc.CreditGrantListDueParams{DueBy: &by, RowLimit: core.RowLimit(limit)})
	return core.Map(found, func(f dbsqlc.CreditGrantListDueRow) DueGrant {
		return DueGrant{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, f.CustomerID, f.Currency}
	}), core.Translate("CreditGrantListDue", err)
}

// DueGrantsOnClock lists the next hundred grants of the clock's customers that have ended by then.
func (r Reader) DueGrantsOnClock(ctx context.Context, environmentID, clockID string, by time.Time) ([]DueGrant, error) {
	found, err := core.Queries.CreditGrantListDueOnClock(ctx, r.Handle, dbsqlc.CreditGrantListDueOnClockParams{
		EnvironmentID: environmentID, TestClockID: &clockID, DueBy: &by,
	})
	return core.Map(found, func(f dbsqlc.CreditGrantListDueOnClockRow) DueGrant {
		return DueGrant{core.Ref{EnvironmentID: environmentID, ID: f.ID}, f.CustomerID, f.Currency}
	}), core.Translate("CreditGrantListDueOnClock", err)
}

// GrantFromDB returns the grant of a row.
func GrantFromDB(row dbsqlc.CreditGrant) balance.Grant {
	return balance.Grant{
		ID: row.ID, CustomerID: row.CustomerID, TestClockID: core.Value(row.TestClockID), Currency: row.Currency,
		Amount: row.Amount, Left: row.Remaining, Priority: row.Priority, PlanIDs: row.PlanIds, Name: core.Value(row.Name),
		Metadata: row.Metadata, GivenAt: row.CreatedAt, ExpiresAt: core.Value(row.ExpiresAt),
		ExpiredAt: core.Value(row.ExpiredAt),
		VoidedAt:  core.Value(row.VoidedAt),
	}
}
