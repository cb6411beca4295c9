package tenancy

import (
	"context"
	"encoding/json"

	"perennial/billing/dunning"
	"perennial/billing/subscription"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Environment reads one. Fault: environment_not_found.
func (r Reader) Environment(ctx context.Context, environmentID string) (Environment, error) {
	row, err := core.Queries.EnvironmentGet(ctx, r.Handle, environmentID)
	if err != nil {
		return Environment{}, core.ReadError("environment", err)
	}
	return EnvironmentFromDB(row.Environment, row.TenantID), nil
}

// LockSettings reads the settings of an environment, which no other transaction may change until this one ends. Fault:
// environment_not_found.
func (tx *Tx) LockSettings(ctx context.Context, environmentID string) (subscription.Settings, error) {
	row, err := core.Queries.EnvironmentLockSettings(ctx, tx.Pipe, environmentID)
	if err != nil {
		return subscription.Settings{}, core.ReadError("environment", err)
	}
	return EnvironmentFromDB(row.Environment, "").Settings, nil
}

// SaveSettings writes the settings of an environment that may change, and records which ones the actor changed, from
// was to is. Customers with open invoices follow a new overdue policy one after the other: the reconciler marks them.
// The caller holds the lock. Fault: environment_not_found.
func (tx *Tx) SaveSettings(ctx context.Context, environmentID string, was, is subscription.Settings) error {
	overdueWas, overdueIs := overdueToDB(was.Overdue), overdueToDB(is.Overdue)
	sweeps := string(overdueWas) != string(overdueIs)
	err := core.Queries.EnvironmentUpdateSettings(ctx, tx.Pipe.OrElse(core.NotFound("environment")),
		dbsqlc.EnvironmentUpdateSettingsParams{
			EnvironmentID: environmentID, PastDueBilling: is.PastDueBilling, Dunning: core.DunningToDB(&is.Dunning),
			RenewalReminderDays: is.RenewalReminderDays, InvoiceNumberPrefix: is.InvoiceNumbers.Prefix,
			InvoiceNumberDigits: is.InvoiceNumbers.Digits, Seller: core.Null(is.Seller),
			ProrationMeasure: core.Null(is.ProrationMeasure), InvoiceGraceMinutes: is.InvoiceGraceMinutes,
			InvoiceLinkDays: is.InvoiceLinkDays,
			OverduePolicy:   overdueIs, Sweeps: sweeps,
		})
	if err != nil {
		return err
	}
	for field, value := range map[string][2]any{
		"past_due_billing":      {was.PastDueBilling, is.PastDueBilling},
		"renewal_reminder_days": {was.RenewalReminderDays, is.RenewalReminderDays},
		"invoice_grace_minutes": {was.InvoiceGraceMinutes, is.InvoiceGraceMinutes},
		"invoice_link_days":     {was.InvoiceLinkDays, is.InvoiceLinkDays},
		"invoice_numbers":       {was.InvoiceNumbers, is.InvoiceNumbers},
		"seller":                {was.Seller, is.Seller},
		"proration_measure":     {was.ProrationMeasure, is.ProrationMeasure},
	} {
		if value[0] == value[1] {
			continue
		}
		before, _ := json.Marshal(value[0]) // texts, numbers and structs of them
		after, _ := json.Marshal(value[1])
		if err := tx.NoteSetting(ctx, environmentID, "", field, before, after); err != nil {
			return err
		}
	}
	if sweeps {
		if err := tx.NoteSetting(ctx, environmentID, "", "overdue_policy", overdueWas, overdueIs); err != nil {
			return err
		}
	}
	return tx.NoteDunning(ctx, environmentID, "", &was.Dunning, &is.Dunning)
}

// NoteDunning records that the actor changed a dunning policy, if it was changed. Without a plan it is the
// environment's.
func (tx *Tx) NoteDunning(ctx context.Context, environmentID, planID string, was, is *dunning.Policy) error {
	before, after := core.DunningToDB(was), core.DunningToDB(is)
	if string(before) == string(after) {
		return nil
	}
	return tx.NoteSetting(ctx, environmentID, planID, "dunning", before, after)
}

// NoteSetting records that the actor changed a setting, from before to after. Without a plan it is the environment's.
func (tx *Tx) NoteSetting(ctx context.Context, environmentID, planID, field string, before, after []byte) error {
	return core.Queries.SettingChangeInsert(ctx, tx.Pipe, dbsqlc.SettingChangeInsertParams{
		ID: id.New(id.SettingChange, tx.Real), EnvironmentID: environmentID, PlanID: core.Null(planID), Field: field,
		Before: before, After: after, ActorKind: string(tx.By.Kind()), ActorID: tx.By.ID(), ChangedAt: tx.Real,
	})
}
