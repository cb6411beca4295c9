package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db/internal/dbsqlc"
)

// Bundle is a subscription with all that a decision about it depends on.
type Bundle struct {
	Subscription  subscription.Subscription
	Customer      customer.Customer
	CreditBalance money.Minor // of the customer, in the subscription's currency
	Plan          plan.Plan
	PendingPlan   *plan.Plan
	Settings      subscription.Settings
	TestClock     *TestClock
	Open          []invoice.Invoice    // open invoices with lines, oldest first
	Paid          []invoice.Invoice    // paid invoices with lines, for time in the current period
	Live          *payment.Transaction // the pending charge of the invoice in collection, else of another open one
	PendingCount  int                  // pending charges of the subscription, whatever for
	Provider      *ProviderConfig      // the environment's primary; nil: none
}

// LoadSubscription reads a Bundle in one round trip. With lock the customer (shared) and its credit, the subscription and
// its open invoices stay as they are until the transaction ends. Fault: subscription_not_found.
func (tx *Tx) LoadSubscription(ctx context.Context, environmentID, id string, lock bool) (Bundle, error) {
	l := loader{ctx: ctx, environmentID: environmentID, id: id, lock: lock}
	err := tx.together(ctx,
		// In lock order. What follows a lock in the batch sees what was committed before the lock was granted.
		l.readCustomer, l.readBalance, l.readSubscription, l.readOpen,
		l.readEnvironment, l.readClock, l.readPlans, l.readPrices, l.readPaid, l.readLines, l.readPending, l.readProvider)
	if err != nil {
		return Bundle{}, readError("subscription", err)
	}
	l.give()
	return l.Bundle, nil
}

// loader collects what the reads of a Bundle find.
type loader struct {
	Bundle
	ctx               context.Context //nolint:containedctx // lives as long as one call of LoadSubscription
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
		locked, err = queries.CustomerLockOfSubscription(l.ctx, h, dbsqlc.CustomerLockOfSubscriptionParams{EnvironmentID: l.environmentID, SubscriptionID: l.id})
		row = dbsqlc.CustomerGetOfSubscriptionRow(locked)
	} else {
		row, err = queries.CustomerGetOfSubscription(l.ctx, h, dbsqlc.CustomerGetOfSubscriptionParams{EnvironmentID: l.environmentID, SubscriptionID: l.id})
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
	row, err := queries.TestClockGetOfSubscription(l.ctx, h, dbsqlc.TestClockGetOfSubscriptionParams{EnvironmentID: l.environmentID, SubscriptionID: l.id})
	if err == nil {
		clock := testClockFromDB(row.TestClock)
		l.TestClock = &clock
	}
	return optional(err)
}

func (l *loader) readPlans(h dbsqlc.DBTX) (err error) {
	l.plans, err = queries.PlanListOfSubscription(l.ctx, h, dbsqlc.PlanListOfSubscriptionParams{EnvironmentID: l.environmentID, SubscriptionID: l.id})
	return err
}

func (l *loader) readPrices(h dbsqlc.DBTX) (err error) {
	l.prices, err = queries.PriceListOfSubscription(l.ctx, h, dbsqlc.PriceListOfSubscriptionParams{EnvironmentID: l.environmentID, SubscriptionID: l.id})
	return err
}

func (l *loader) readPaid(h dbsqlc.DBTX) error {
	rows, err := queries.InvoiceListPaidForPeriod(l.ctx, h, dbsqlc.InvoiceListPaidForPeriodParams{EnvironmentID: l.environmentID, SubscriptionID: l.id})
	for _, row := range rows {
		l.Paid = append(l.Paid, invoiceFromDB(row.Invoice))
	}
	return err
}

func (l *loader) readLines(h dbsqlc.DBTX) (err error) {
	l.lines, err = queries.InvoiceLineListOfSubscription(l.ctx, h, dbsqlc.InvoiceLineListOfSubscriptionParams{EnvironmentID: l.environmentID, SubscriptionID: l.id})
	return err
}

func (l *loader) readPending(h dbsqlc.DBTX) (err error) {
	l.pending, err = queries.TransactionListPendingCharges(l.ctx, h, dbsqlc.TransactionListPendingChargesParams{EnvironmentID: l.environmentID, SubscriptionID: l.id})
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

// give puts the parts to what they belong to.
func (l *loader) give() {
	for _, row := range l.plans {
		p := planFromDB(row.Plan)
		for _, price := range l.prices {
			if price.Price.PlanID == p.ID {
				p.Prices = append(p.Prices, priceFromDB(price.Price))
			}
		}
		if p.ID == l.Subscription.PlanID {
			l.Plan = p
		}
		if p.ID == l.Subscription.PendingPlanID {
			l.PendingPlan = &p
		}
	}
	for _, row := range l.lines {
		for _, invoices := range [][]invoice.Invoice{l.Open, l.Paid} {
			for i := range invoices {
				if invoices[i].ID == row.InvoiceID {
					invoices[i].Lines = append(invoices[i].Lines, lineFromDB(row))
				}
			}
		}
	}
	l.PendingCount = len(l.pending)
	for _, row := range l.pending {
		t := transactionFromDB(row.Transaction)
		inCollection := t.InvoiceID == l.Subscription.CollectingInvoiceID
		if t.InvoiceID != "" && (l.Live == nil || inCollection) {
			l.Live = &t
		}
	}
}

// optional lets a read find nothing.
func optional(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}
