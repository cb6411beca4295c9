package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"perennial/db/internal/dbsqlc"
)

// loader collects what the reads of a Bundle find.
type loader struct {
	Bundle
	ctx               context.Context // of the one call of LoadSubscription
	environmentID, id string
	lock              bool

	plans   []dbsqlc.PlanListOfSubscriptionRow
	prices  []dbsqlc.PriceListOfSubscriptionRow
	lines   []dbsqlc.InvoiceLine
	pending []dbsqlc.TransactionListPendingChargesRow
}

func (l *loader) readCustomer(h dbsqlc.DBTX) error {
	var row dbsqlc.CustomerGetOfSubscriptionRow
	var err error
	if l.lock {
		var locked dbsqlc.CustomerLockOfSubscriptionRow
		locked, err = queries.CustomerLockOfSubscription(l.ctx, h, dbsqlc.CustomerLockOfSubscriptionParams{
			EnvironmentID: l.environmentID, SubscriptionID: l.id,
		})
		row = dbsqlc.CustomerGetOfSubscriptionRow(locked)
	} else {
		row, err = queries.CustomerGetOfSubscription(l.ctx, h, dbsqlc.CustomerGetOfSubscriptionParams{
			EnvironmentID: l.environmentID, SubscriptionID: l.id,
		})
	}
	l.Customer = customerFromDB(row.Customer)
	return err
}

func (l *loader) readBalance(h dbsqlc.DBTX) (err error) {
	args := dbsqlc.CreditBalanceGetOfSubscriptionParams{EnvironmentID: l.environmentID, SubscriptionID: l.id}
	if l.lock {
		l.CreditBalance, err = queries.CreditBalanceLockOfSubscription(l.ctx, h, dbsqlc.CreditBalanceLockOfSubscriptionParams(args))
	} else {
		l.CreditBalance, err = queries.CreditBalanceGetOfSubscription(l.ctx, h, args)
	}
	return optional(err)
}

func (l *loader) readSubscription(h dbsqlc.DBTX) error {
	args := dbsqlc.SubscriptionGetParams{EnvironmentID: l.environmentID, ID: l.id}
	var row dbsqlc.SubscriptionGetRow
	var err error
	if l.lock {
		var locked dbsqlc.SubscriptionLockRow
		locked, err = queries.SubscriptionLock(l.ctx, h, dbsqlc.SubscriptionLockParams(args))
		row = dbsqlc.SubscriptionGetRow(locked)
	} else {
		row, err = queries.SubscriptionGet(l.ctx, h, args)
	}
	l.Subscription = subscriptionFromDB(row.Subscription)
	return err
}

func (l *loader) readOpen(h dbsqlc.DBTX) error {
	args := dbsqlc.InvoiceListOpenParams{EnvironmentID: l.environmentID, SubscriptionID: l.id}
	if l.lock {
		rows, err := queries.InvoiceLockOpen(l.ctx, h, dbsqlc.InvoiceLockOpenParams(args))
		for _, row := range rows {
			l.Open = append(l.Open, invoiceFromDB(row.Invoice))
		}
		return err
	}
	rows, err := queries.InvoiceListOpen(l.ctx, h, args)
	for _, row := range rows {
		l.Open = append(l.Open, invoiceFromDB(row.Invoice))
	}
	return err
}

func (l *loader) readEnvironment(h dbsqlc.DBTX) error {
	row, err := queries.EnvironmentGet(l.ctx, h, l.environmentID)
	l.Settings = environmentFromDB(row.Environment, row.TenantID).Settings
	return err
}

func (l *loader) readClock(h dbsqlc.DBTX) error {
	row, err := queries.TestClockGetOfSubscription(l.ctx, h, dbsqlc.TestClockGetOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	if err == nil {
		clock := testClockFromDB(row.TestClock)
		l.TestClock = &clock
	}
	return optional(err)
}

func (l *loader) readPlans(h dbsqlc.DBTX) (err error) {
	l.plans, err = queries.PlanListOfSubscription(l.ctx, h, dbsqlc.PlanListOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	return err
}

func (l *loader) readPrices(h dbsqlc.DBTX) (err error) {
	l.prices, err = queries.PriceListOfSubscription(l.ctx, h, dbsqlc.PriceListOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	return err
}

func (l *loader) readPaid(h dbsqlc.DBTX) error {
	rows, err := queries.InvoiceListPaidForPeriod(l.ctx, h, dbsqlc.InvoiceListPaidForPeriodParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	for _, row := range rows {
		l.Paid = append(l.Paid, invoiceFromDB(row.Invoice))
	}
	return err
}

func (l *loader) readLines(h dbsqlc.DBTX) (err error) {
	l.lines, err = queries.InvoiceLineListOfSubscription(l.ctx, h, dbsqlc.InvoiceLineListOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	return err
}

func (l *loader) readPending(h dbsqlc.DBTX) (err error) {
	args := dbsqlc.TransactionListPendingChargesParams{EnvironmentID: l.environmentID, SubscriptionID: l.id}
	if !l.lock {
		l.pending, err = queries.TransactionListPendingCharges(l.ctx, h, args)
		return err
	}
	locked, err := queries.TransactionLockPendingCharges(l.ctx, h, dbsqlc.TransactionLockPendingChargesParams(args))
	for _, row := range locked {
		l.pending = append(l.pending, dbsqlc.TransactionListPendingChargesRow(row))
	}
	return err
}

func (l *loader) readProvider(h dbsqlc.DBTX) error {
	row, err := queries.ProviderConfigGetPrimary(l.ctx, h, l.environmentID)
	if err == nil {
		provider := providerConfigFromDB(row)
		l.Provider = &provider
	}
	return optional(err)
}

// optional lets a read find nothing.
func optional(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}
