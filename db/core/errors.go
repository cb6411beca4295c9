package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/billing/subscribing"
)

// unavailable is a temporary fault: the same call may succeed in a moment.
func unavailable(cause error) error {
	return fault.New(fault.Unavailable, "database_unavailable",
		"The database cannot be reached or is busy. Try again.").
		After(time.Second).Because(cause)
}

// readOnly is PostgreSQL's code for a write on a standby, or where default_transaction_read_only is set.
const readOnly = "25006"

// readOnlyPause is the duration of a failover, roughly.
const readOnlyPause = 5 * time.Second

// movedAway reports whether the server at the other end takes no writes. Its connections are of no use then: after a
// failover a new one reaches the new primary, through DNS, a proxy or target_session_attrs.
func movedAway(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == readOnly
}

// NotFound returns the same fault for an absent row and for a row of another environment.
func NotFound(resource string) *fault.Error {
	return fault.New(fault.NotFound, resource+"_not_found", "The %s with this id does not exist.", spaced(resource))
}

// IsAbsentRow reports whether a fault is one of NotFound and says no more than that.
func IsAbsentRow(f *fault.Error) bool {
	resource, named := strings.CutSuffix(f.Code, "_not_found")
	return named && f.Kind == fault.NotFound && f.Detail == fmt.Sprintf("The %s with this id does not exist.", spaced(resource))
}

// NotFoundIn is NotFound for a row that a field of the request refers to.
func NotFoundIn(resource, param string) *fault.Error { return NotFound(resource).In(param) }

// Changed refuses a write that was decided on an older revision of its row. A repeat of the whole transaction decides
// anew, so it is no refusal.
func Changed(resource string) error {
	return fault.New(fault.Unavailable, resource+"_changed",
		"Another request changed the %s at the same time. Try again.", spaced(resource)).
		After(time.Second)
}

func spaced(resource string) string { return strings.ReplaceAll(resource, "_", " ") }

// ReadError is translate for the read of one row.
func ReadError(resource string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return NotFound(resource)
	}
	return Translate(resource, err)
}

// Translate turns errors of PostgreSQL and pgx into faults; during names the query or the operation. Faults pass
// unchanged. An error that no caller can act on stays a plain error, which becomes a fault.Internal at the edge.
func Translate(during string, err error) error {
	var known *fault.Error
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known), errors.Is(err, errRecorded):
		return err
	case errors.As(err, &pg):
		if f := postgresFault(pg); f != nil {
			return f.Because(fmt.Errorf("%s: %w", during, err))
		}
	case errors.Is(err, context.Canceled):
		// The caller has gone away: not the database's trouble.
	case connectionTrouble(err):
		return unavailable(fmt.Errorf("%s: %w", during, err))
	}
	return fmt.Errorf("db: %s: %w", during, err)
}

func connectionTrouble(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, puddle.ErrClosedPool) ||
		pgconn.SafeToRetry(err) // nothing was sent
}

// postgresFault reads the error codes of PostgreSQL and of our own triggers; nil: nothing that a caller can act on.
func postgresFault(pg *pgconn.PgError) *fault.Error {
	switch pg.Code {
	case "40001", "40P01", "55P03", "57014", "57P01", "57P02", "57P03", "57P05":
		return fault.From(unavailable(nil)) // serialization, deadlock, locks, statement time-out, shutdown
	case readOnly:
		return fault.New(fault.Unavailable, "database_unavailable",
			"The database is read-only or a standby. Try again.").After(readOnlyPause)
	case "PB001":
		return subscribing.ErrCanceled
	case "PB004":
		return payment.ErrFinal
	case "PB005":
		return fault.New(fault.Conflict, "invoice_final", "The invoice is paid or void, which is final.")
	case "23503":
		return foreignKeyFault(pg.ConstraintName)
	case "23505":
		return uniqueFaults[pg.ConstraintName]
	}
	if class := pg.Code[:2]; class == "08" || class == "53" { // connection; out of connections, memory or disk
		return fault.From(unavailable(nil))
	}
	return nil
}

// uniqueFaults are the unique constraints whose violation a caller can act on.
var uniqueFaults = map[string]*fault.Error{
	"idempotency_keys_pkey": ErrIdempotencyKeyTaken,
	"transactions_one_live_attempt": fault.New(fault.Conflict, "payment_in_progress",
		"A payment of this invoice is already in progress.").After(collection.PaymentTakes),
	"invoices_one_live_per_period": fault.New(fault.Conflict, "period_invoiced",
		"This period of the subscription already has an invoice."),
	"transactions_provider_ref": fault.New(fault.Conflict, "provider_ref_taken",
		"Another transaction already has this provider reference."),
	"transactions_recovered_from": fault.New(fault.Conflict, "charge_recovered",
		"The capture of this canceled charge is already recorded."),
	"settlements_pkey": fault.New(fault.Conflict, "invoice_settled", "The invoice is already settled."),
	"settlements_transaction": fault.New(fault.Conflict, "transaction_settled",
		"The transaction has already settled another invoice."),
	"environments_app_id_mode_key": fault.New(fault.Conflict, "environment_exists",
		"The app already has an environment of this mode."),
	"plans_catalog_key": fault.New(fault.Conflict, "catalog_key_taken",
		"Another plan has this catalogue key. Give one of them another key first, and apply the file in two steps."),
	"provider_configs_one_primary": fault.New(fault.Conflict, "primary_provider_exists",
		"The environment already has a primary provider."),
	// Two writers announced the same about one object in the same second without its lock: the later one just repeats.
	"events_environment_id_type_object_id_occurred_at_key": fault.New(fault.Unavailable, "event_collision",
		"Another event has the same type, resource and time. Try again.").After(time.Second),
}

// referenced names the resource by the last column of a foreign key, and the API's field for it.
var referenced = []struct{ column, resource, param string }{
	{"customer_id", "customer", "customerId"},
	{"plan_id", "plan", "planId"}, // also pending_plan_id
	{"product_id", "product", "productId"},
	{"subscription_id", "subscription", "subscriptionId"},
	{"invoice_id", "invoice", "invoiceId"}, // also collecting_invoice_id
	{"transaction_id", "transaction", "transactionId"},
	{"charge_id", "transaction", "chargeId"},
	{"recovered_from", "transaction", "recoveredFrom"},
	{"test_clock_id", "test_clock", "testClockId"},
	{"provider_config_id", "provider_config", "providerConfigId"},
	{"environment_id", "environment", "environmentId"},
	{"app_id", "app", "appId"},
	{"tenant_id", "tenant", "tenantId"},
}

// foreignKeyFault answers a reference to an absent or foreign row like a read of it. PostgreSQL names a foreign key
// <table>_<columns>_fkey; a composite one of ours ends in the column that refers.
func foreignKeyFault(constraint string) *fault.Error {
	columns := strings.TrimSuffix(constraint, "_fkey")
	for _, r := range referenced {
		if strings.HasSuffix(columns, r.column) {
			return NotFoundIn(r.resource, r.param)
		}
	}
	return nil
}

// Optional lets a read find nothing.
func Optional(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}
