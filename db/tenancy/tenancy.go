package tenancy

import (
	"context"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/retry"
	"perennial/billing/subscription"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Tenant owns apps.
type Tenant struct {
	ID        string
	Name      string
	CreatedAt time.Time
}

// App is one application of a tenant. Keyset is its Tink keyset, wrapped by the key-encryption key.
type App struct {
	ID        string
	TenantID  string
	Name      string
	Keyset    []byte
	CreatedAt time.Time
}

// Environment is the test or the live half of an app.
type Environment struct {
	ID        string
	AppID     string
	TenantID  string // read only
	Mode      string // "test" or "live"
	Settings  subscription.Settings
	CreatedAt time.Time
}

// App reads one. Global: apps lie above environments. Fault: app_not_found.
func (r Reader) App(ctx context.Context, id string) (App, error) {
	row, err := core.Queries.AppGet(ctx, r.Handle, id)
	if err != nil {
		return App{}, core.ReadError("app", err)
	}
	return appFromDB(row.App), nil
}

// Apps lists the apps of a tenant.
func (r Reader) Apps(ctx context.Context, tenantID string, page core.Page) (apps []App, hasMore bool, err error) {
	span, err := r.Bounds(ctx, tenantID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.AppList(ctx, r.Lists(), dbsqlc.AppListParams{
		TenantID: tenantID, Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("AppList", err)
	}
	apps, hasMore = core.Cut(page, rows, func(row dbsqlc.AppListRow) App { return appFromDB(row.App) })
	return apps, hasMore, nil
}

// InsertTenant writes one.
func (tx *Tx) InsertTenant(ctx context.Context, t Tenant) error {
	return core.Queries.TenantInsert(ctx, tx.Pipe, dbsqlc.TenantInsertParams(t))
}

// InsertApp writes one.
func (tx *Tx) InsertApp(ctx context.Context, a App) error {
	return core.Queries.AppInsert(ctx, tx.Pipe, dbsqlc.AppInsertParams(a))
}

// InsertEnvironment writes one, with its invoice counter. Fault: environment_exists.
func (tx *Tx) InsertEnvironment(ctx context.Context, e Environment) error {
	s, before := e.Settings, e.Settings.Dunning.Retry // as binaries of the version before read it
	if len(before.Gaps) > 0 {
		before = retry.Default()
	}
	return core.Queries.EnvironmentInsert(ctx, tx.Pipe, dbsqlc.EnvironmentInsertParams{
		ID: e.ID, AppID: e.AppID, Mode: e.Mode, TimeZone: s.TimeZone,
		RetryBaseSeconds: core.WholeSeconds(before.Base), RetryFactor: before.Factor, RetryCount: before.Retries,
		RetryJitterSeconds: core.WholeSeconds(before.MaxJitter), PastDueBilling: s.PastDueBilling,
		PastDueCancelAfterDays: core.Null(s.Dunning.CancelAfterDays), Dunning: core.DunningToDB(&s.Dunning),
		RenewalReminderDays: s.RenewalReminderDays, CreatedAt: e.CreatedAt,
		InvoiceNumberPrefix: s.InvoiceNumbers.Prefix, InvoiceNumberDigits: s.InvoiceNumbers.Digits,
		Seller:           core.Null(s.Seller),
		ProrationMeasure: core.Null(s.ProrationMeasure), InvoiceGraceMinutes: s.InvoiceGraceMinutes,
		InvoiceLinkDays: s.InvoiceLinkDays,
		OverduePolicy:   overdueToDB(s.Overdue),
	})
}

// EnvironmentFromDB returns the environment of a row.
func EnvironmentFromDB(row dbsqlc.Environment, tenantID string) Environment {
	return Environment{
		ID: row.ID, AppID: row.AppID, TenantID: tenantID, Mode: row.Mode, CreatedAt: row.CreatedAt,
		Settings: subscription.Settings{
			TimeZone: row.TimeZone, Dunning: dunningOf(row), PastDueBilling: row.PastDueBilling,
			RenewalReminderDays: row.RenewalReminderDays, InvoiceGraceMinutes: row.InvoiceGraceMinutes,
			InvoiceLinkDays: row.InvoiceLinkDays,
			InvoiceNumbers:  invoice.Numbering{Prefix: row.InvoiceNumberPrefix, Digits: row.InvoiceNumberDigits},
			Seller:          core.Value(row.Seller), ProrationMeasure: core.Value(row.ProrationMeasure),
			Overdue: core.Value(core.OverdueFromDB(row.OverduePolicy)),
		},
	}
}

func appFromDB(row dbsqlc.App) App {
	return App{ID: row.ID, TenantID: row.TenantID, Name: row.Name, Keyset: row.Keyset, CreatedAt: row.CreatedAt}
}
