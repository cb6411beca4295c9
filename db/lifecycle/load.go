package lifecycle

import (
	"cmp"
	"context"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/db/catalog"
	"perennial/db/clocks"
	"perennial/db/core"
	"perennial/db/customers"
	"perennial/db/internal/dbsqlc"
	dbinvoices "perennial/db/invoices"
	"perennial/db/payments"
	"perennial/db/subscriptions"
	"perennial/db/tenancy"
	"perennial/internal/id"
)

// loadGrants reads the customer's grants where there may be any: a customer without costs no round trip.
func (l *loader) loadGrants(r core.Reader) error {
	var used []string
	for _, inv := range l.Open {
		used = append(used, customers.IDsOfUses(inv.GrantsUsed)...)
	}
	if l.granted == 0 && len(used) == 0 {
		return nil
	}
	var err error
	l.Grants, err = customers.UsableGrants(l.ctx, r, l.environmentID, l.Customer.ID, l.BalanceCurrency(), used)
	return err
}

// loadMethod replaces the customer's default payment method by the one that the subscription names, and reads the
// others where retries may try them. Without either it costs no round trip.
func (l *loader) loadMethod(r core.Reader) error {
	if l.Subscription.PaymentMethodID == "" && !l.TriesOtherMethods() {
		return nil
	}
	methods, err := customers.Reader{Reader: r}.AllPaymentMethods(l.ctx, l.environmentID, l.Customer.ID)
	payer, others := l.Customer.Charged(methods, l.Subscription.PaymentMethodID)
	if l.Customer = payer; l.TriesOtherMethods() {
		l.OtherMethods = others
	}
	return err
}

// Moment returns the inputs of a decision besides its State: the subscription's own time, the wall clock's, and ids.
func Moment(now, wall time.Time) lifecycle.Moment {
	return lifecycle.Moment{Now: now, Real: wall, IDs: id.Source{Now: wall}}
}

// LockSubscription reads a subscription with all that a decision about it depends on, in one round trip. The customer
// and its credit, the subscription, its open invoices and its pending charges stay as they are until the transaction
// ends, and so does that a customer has no credit yet: decisions about one customer take turns (ADR 63). Fault:
// subscription_not_found.
func (tx *Tx) LockSubscription(ctx context.Context, environmentID, id string) (lifecycle.State, error) {
	l := loader{ctx: ctx, environmentID: environmentID, id: id}
	return l.load(tx.Reads(), tx.Limits)
}

// load reads all parts in one round trip.
func (l *loader) load(
	r core.Reader, limits func(provider string, currency money.Currency) money.Limits,
) (lifecycle.State, error) {
	err := r.Together(l.ctx,
		// In lock order. A read after a lock in the batch sees all that was committed before the lock was granted.
		l.readCustomer, l.readBalance, l.readSubscription, l.readOpen, l.readPending,
		l.readEnvironment, l.readClock, l.readItems, l.readPlans, l.readPrices, l.readClosed, l.readLines,
		l.readProvider, l.readTaxRates)
	if err != nil {
		return lifecycle.State{}, core.ReadError("subscription", err)
	}
	l.distribute()
	if err := l.distributePlans(); err != nil {
		return lifecycle.State{}, err
	}
	if err := l.loadCaptures(r); err != nil {
		return lifecycle.State{}, core.ReadError("subscription", err)
	}
	if err := l.loadGrants(r); err != nil {
		return lifecycle.State{}, core.ReadError("subscription", err)
	}
	if err := l.loadHomes(r); err != nil {
		return lifecycle.State{}, core.ReadError("subscription", err)
	}
	if err := l.loadMethod(r); err != nil {
		return lifecycle.State{}, core.ReadError("subscription", err)
	}
	if err := l.loadElsewhere(r); err != nil {
		return lifecycle.State{}, core.ReadError("subscription", err)
	}
	l.limit(limits)
	return l.State, nil
}

// limit notes which amounts the customer's provider takes in the currency that the decision is about.
func (l *loader) limit(limits func(provider string, currency money.Currency) money.Limits) {
	if l.Provider != nil && limits != nil {
		l.Provider.Limits = limits(cmp.Or(l.Customer.PaymentDetails.Provider, l.Provider.Name), l.BalanceCurrency())
	}
	for invoiceID, charge := range l.Captures {
		l.Captures[invoiceID] = payments.Granular(limits, charge)
	}
}

// LockCaptures adds the charges that paid for the current period to the state: a cancellation with a refund gives back
// out of them.
func (tx *Tx) LockCaptures(ctx context.Context, environmentID string, s *lifecycle.State) error {
	var err error
	s.Captures, err = tx.payments.LockCapturesOf(ctx, environmentID, idsOf(s.Paid))
	return err
}

// idsOf names invoices.
func idsOf(invoices []invoice.Invoice) []string {
	ids := make([]string, len(invoices))
	for i, inv := range invoices {
		ids[i] = inv.ID
	}
	return ids
}

// loader collects the results of LockSubscription's reads.
type loader struct {
	lifecycle.State
	ctx               context.Context // of the one call of LockSubscription
	environmentID, id string

	plans   []dbsqlc.PlanListOfSubscriptionRow
	prices  []dbsqlc.PriceListOfSubscriptionRow
	lines   []dbsqlc.InvoiceLine
	pending []dbsqlc.TransactionLockPendingChargesRow
	granted money.Minor // the rest of the customer's grants
}

// distribute adds the parts to their owners.
func (l *loader) distribute() {
	for _, row := range l.lines {
		for _, invoices := range [][]invoice.Invoice{l.Open, l.Drafts, l.Paid, l.WrittenOff} {
			for i := range invoices {
				if invoices[i].ID != row.InvoiceID {
					continue
				}
				line := dbinvoices.LineFromDB(row, invoices[i])
				// written by a build from before there were items
				if line.ItemID == "" && line.PriceID != "" && line.Kind.InAdvance() {
					line.ItemID = lifecycle.ItemID(id.Source{}, l.Subscription, line.PriceID)
				}
				invoices[i].Lines = append(invoices[i].Lines, line)
			}
		}
	}
	for _, row := range l.pending {
		l.Pending = append(l.Pending, payments.TransactionFromDB(row.Transaction))
	}
}

func (l *loader) readCustomer(h dbsqlc.DBTX) error {
	row, err := core.Queries.CustomerLockOfSubscription(l.ctx, h, dbsqlc.CustomerLockOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	l.Customer = customers.CustomerFromDB(row.Customer)
	return err
}

func (l *loader) readBalance(h dbsqlc.DBTX) error {
	row, err := core.Queries.CreditBalanceLockOfSubscription(l.ctx, h, dbsqlc.CreditBalanceLockOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	l.Balance, l.granted = row.Balance, row.Granted
	return core.Optional(err)
}

func (l *loader) readSubscription(h dbsqlc.DBTX) error {
	row, err := core.Queries.SubscriptionLock(l.ctx, h,
		dbsqlc.SubscriptionLockParams{EnvironmentID: l.environmentID, ID: l.id})
	l.Subscription = subscriptions.SubscriptionFromDB(row.Subscription)
	l.WakePending = row.Subscription.WakePendingSince != nil
	return err
}

func (l *loader) readOpen(h dbsqlc.DBTX) error {
	rows, err := core.Queries.InvoiceLockUnsettled(l.ctx, h,
		dbsqlc.InvoiceLockUnsettledParams{EnvironmentID: l.environmentID, SubscriptionID: &l.id})
	for _, row := range rows {
		if inv := dbinvoices.InvoiceFromDB(row.Invoice); inv.Status == invoice.InDraft {
			l.Drafts = append(l.Drafts, inv)
		} else {
			l.Open = append(l.Open, inv)
		}
	}
	return err
}

func (l *loader) readEnvironment(h dbsqlc.DBTX) error {
	row, err := core.Queries.EnvironmentGet(l.ctx, h, l.environmentID)
	l.Settings = tenancy.EnvironmentFromDB(row.Environment, row.TenantID).Settings
	return err
}

func (l *loader) readClock(h dbsqlc.DBTX) error {
	row, err := core.Queries.TestClockGetOfSubscription(l.ctx, h, dbsqlc.TestClockGetOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	l.ClockNow = clocks.TestClockFromDB(row.TestClock).NowAt
	return core.Optional(err)
}

func (l *loader) readItems(h dbsqlc.DBTX) error {
	items, err := subscriptions.ItemsOf(l.ctx, h, l.environmentID, l.id)
	l.Subscription.Items = items[l.id]
	return err
}

func (l *loader) readPlans(h dbsqlc.DBTX) (err error) {
	l.plans, err = core.Queries.PlanListOfSubscription(l.ctx, h, dbsqlc.PlanListOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	return err
}

func (l *loader) readPrices(h dbsqlc.DBTX) (err error) {
	l.prices, err = core.Queries.PriceListOfSubscription(l.ctx, h, dbsqlc.PriceListOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	return err
}

func (l *loader) readClosed(h dbsqlc.DBTX) error {
	rows, err := core.Queries.InvoiceListClosedForPeriod(l.ctx, h, dbsqlc.InvoiceListClosedForPeriodParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	for _, row := range rows {
		inv := dbinvoices.InvoiceFromDB(row.Invoice)
		if inv.Status == invoice.Paid || inv.Status == invoice.TakenBack {
			l.Paid = append(l.Paid, inv)
		} else {
			l.WrittenOff = append(l.WrittenOff, inv)
		}
	}
	return err
}

func (l *loader) readLines(h dbsqlc.DBTX) (err error) {
	l.lines, err = core.Queries.InvoiceLineListOfSubscription(l.ctx, h, dbsqlc.InvoiceLineListOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: &l.id,
	})
	return err
}

func (l *loader) readPending(h dbsqlc.DBTX) (err error) {
	l.pending, err = core.Queries.TransactionLockPendingCharges(l.ctx, h, dbsqlc.TransactionLockPendingChargesParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	return err
}

func (l *loader) readProvider(h dbsqlc.DBTX) error {
	row, err := core.Queries.ProviderConfigGetPrimary(l.ctx, h, l.environmentID)
	if err == nil {
		l.Provider = &lifecycle.Provider{Name: row.ProviderConfig.Provider, ConfigID: row.ProviderConfig.ID}
	}
	return core.Optional(err)
}

func (l *loader) readTaxRates(h dbsqlc.DBTX) error {
	rows, err := core.Queries.TaxRateListOfSubscription(l.ctx, h, dbsqlc.TaxRateListOfSubscriptionParams{
		EnvironmentID: l.environmentID, SubscriptionID: l.id,
	})
	for _, row := range rows {
		l.TaxRates = append(l.TaxRates, catalog.TaxRateFromDB(row.TaxRate))
	}
	return err
}

// loadCaptures adds what LockCaptures adds, where any decision may need it; all others are spared the round trip.
func (l *loader) loadCaptures(r core.Reader) error {
	if !l.MayGiveBack() || len(l.Paid) == 0 {
		return nil
	}
	return r.Together(l.ctx, func(h dbsqlc.DBTX) (err error) {
		l.Captures, err = payments.CapturesOf(l.ctx, h, l.environmentID, idsOf(l.Paid))
		return err
	})
}

// loadHomes finds the invoices of the lines that waiting lines, drafts and open invoices take back. Most subscriptions
// have none, and most others have their invoices in the State: both are spared the round trip.
func (l *loader) loadHomes(r core.Reader) error {
	missing := lifecycle.FindHomes(&l.State)
	if len(missing) == 0 {
		return nil
	}
	found, err := core.Queries.InvoiceLineListHomes(l.ctx, r.Handle, dbsqlc.InvoiceLineListHomesParams{
		EnvironmentID: l.environmentID, SubscriptionID: &l.id, LineIds: missing,
	})
	for _, row := range found {
		if l.Homes == nil {
			l.Homes = map[string]string{}
		}
		l.Homes[row.ID] = row.InvoiceID
	}
	return err
}
