package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/billing/subscribing"
)

func TestTranslate(t *testing.T) {
	t.Parallel()
	pg := func(code, constraint string) error {
		return fmt.Errorf("sent: %w", &pgconn.PgError{Code: code, ConstraintName: constraint, Message: "said PostgreSQL"})
	}
	for name, c := range map[string]struct {
		err  error
		kind fault.Kind
		code string
	}{
		"serialization":        {pg("40001", ""), fault.Unavailable, "database_unavailable"},
		"deadlock":             {pg("40P01", ""), fault.Unavailable, "database_unavailable"},
		"lock time-out":        {pg("55P03", ""), fault.Unavailable, "database_unavailable"},
		"statement time-out":   {pg("57014", ""), fault.Unavailable, "database_unavailable"},
		"shutdown":             {pg("57P01", ""), fault.Unavailable, "database_unavailable"},
		"starting up":          {pg("57P03", ""), fault.Unavailable, "database_unavailable"},
		"too many connections": {pg("53300", ""), fault.Unavailable, "database_unavailable"},
		"read-only":            {pg("25006", ""), fault.Unavailable, "database_unavailable"},
		"disk full":            {pg("53100", ""), fault.Unavailable, "database_unavailable"},
		"connection class":     {pg("08006", ""), fault.Unavailable, "database_unavailable"},
		"end of stream":        {io.ErrUnexpectedEOF, fault.Unavailable, "database_unavailable"},
		"refused": {&net.OpError{Op: "dial", Err: errors.New("refused")}, fault.Unavailable,
			"database_unavailable"},
		"pool is closed":   {puddle.ErrClosedPool, fault.Unavailable, "database_unavailable"},
		"out of time":      {context.DeadlineExceeded, fault.Unavailable, "database_unavailable"},
		"canceled trigger": {pg("PB001", ""), fault.Conflict, subscribing.ErrCanceled.Code},
		"final trigger":    {pg("PB004", ""), fault.Conflict, payment.ErrFinal.Code},
		"invoice trigger":  {pg("PB005", ""), fault.Conflict, "invoice_final"},
		"foreign key": {pg("23503", "invoices_environment_id_customer_id_fkey"), fault.NotFound,
			"customer_not_found"},
		"unique": {pg("23505", "events_environment_id_type_object_id_occurred_at_key"), fault.Unavailable,
			"event_collision"},
		"unknown unique":    {pg("23505", "plans_pkey"), fault.Internal, "internal"},
		"immutable trigger": {pg("PB002", ""), fault.Internal, "internal"},
		"check":             {pg("23514", "plans_name_check"), fault.Internal, "internal"},
		"caller gone":       {context.Canceled, fault.Internal, "internal"},
		"a fault":           {fault.New(fault.Gone, "erased", "it is gone"), fault.Gone, "erased"},
	} {
		err := Translate("PlanInsert", c.err)
		f := fault.From(err)
		require.Equal(t, c.kind, f.Kind, name)
		require.Equal(t, c.code, f.Code, name)
		require.ErrorIs(t, err, c.err, "%s: the cause is kept for the log", name)
		require.NotContains(t, f.Detail, "PostgreSQL", "%s: and never shown", name)
		if c.code == "database_unavailable" {
			require.Positive(t, f.RetryAfter, name)
		}
		if name != "a fault" {
			require.ErrorContains(t, err, "PlanInsert:", name)
		}
	}
	require.NoError(t, Translate("PlanInsert", nil))
}

func TestTranslate_ForeignKeysNameResource(t *testing.T) {
	t.Parallel()
	for constraint, want := range map[string][2]string{
		"subscriptions_environment_id_pending_plan_id_fkey":       {"plan_not_found", "planId"},
		"subscriptions_environment_id_collecting_invoice_id_fkey": {"invoice_not_found", "invoiceId"},
		"transactions_environment_id_recovered_from_fkey":         {"transaction_not_found", "recoveredFrom"},
		"customers_environment_id_test_clock_id_fkey":             {"test_clock_not_found", "testClockId"},
		"transactions_environment_id_provider_config_id_fkey":     {"provider_config_not_found", "providerConfigId"},
		"environments_app_id_fkey":                                {"app_not_found", "appId"},
		"apps_tenant_id_fkey":                                     {"tenant_not_found", "tenantId"},
		"plans_environment_id_fkey":                               {"environment_not_found", "environmentId"},
	} {
		f := foreignKeyFault(constraint)
		require.NotNil(t, f, constraint)
		require.Equal(t, want, [2]string{f.Code, f.Param}, constraint)
	}
	require.Nil(t, foreignKeyFault("something_else"))
}
