package lifecycle_test

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/creditnote"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

// store keeps one subscription's rows in memory, with the constraints of the database: unique keys, final statuses, one
// live attempt and one settlement per invoice, a balance that equals the sum of its entries.
type store struct {
	elsewhere []invoice.Invoice // the customer's other open invoices
	t         require.TestingT
	sub       subscription.Subscription
	customer  customer.Customer
	// otherMethods are those that retries take turns with
	otherMethods []customer.Method
	plans        map[plan.Ref]plan.Plan
	settings     subscription.Settings
	taxRates     []tax.Definition
	clock        time.Time
	provider     *lifecycle.Provider

	invoices     []invoice.Invoice // by number
	takenBack    []invoice.Invoice // lines that were taken back, in the order of the decisions
	drafts       []invoice.Invoice // in the order of issue
	transactions []payment.Transaction
	balance      money.Minor
	grants       []balance.Grant                 // by id
	granted      money.Minor                     // of grants, less unused amounts that were removed
	settled      map[string]lifecycle.Settlement // by invoice
	notes        []creditnote.Note
	toGrants     map[string]balance.Uses // the amounts that notes returned to grants, by invoice
	events       []event.Event
	place        map[string]int // the index of an invoice or transaction in its list
	usageRows
}

func (s *store) invoice(id string) *invoice.Invoice {
	if i, ok := s.place[id]; ok && i < len(s.invoices) && s.invoices[i].ID == id { // no transaction
		return &s.invoices[i]
	}
	return nil
}

func (s *store) transaction(id string) *payment.Transaction {
	if i, ok := s.place[id]; ok {
		return &s.transactions[i]
	}
	return nil
}

// load reads the rows of tx.Lifecycle.LockSubscription, and with captures those of tx.Lifecycle.LockCaptures.
func (s *store) load(captures bool) lifecycle.State {
	state := lifecycle.State{
		Subscription: s.sub, Customer: s.customer, OtherMethods: s.otherMethods, Balance: s.balance,
		Plan: s.plans[s.sub.Plan()], Settings: s.settings,
		TaxRates: s.taxRates, ClockNow: s.clock, Provider: s.provider,
	}
	if p, ok := s.plans[s.sub.PendingPlan()]; ok {
		state.PendingPlan = &p
	}
	var err error
	known := func(r plan.Ref) (plan.Plan, error) { return s.plans[r], nil }
	state.AddOns, err = lifecycle.Versions(s.sub.AddOnRefs(), known)
	require.NoError(s.t, err)
	state.Scheduled, err = lifecycle.Versions(s.sub.ScheduledRefs(), known)
	require.NoError(s.t, err)
	for _, inv := range s.invoices {
		switch {
		case inv.Status == invoice.Open:
			state.Open = append(state.Open, inv)
		case inv.Status == invoice.Paid && s.sub.Spans(inv):
			state.Paid = append(state.Paid, inv)
		case s.sub.Spans(inv) && (inv.Status == invoice.Uncollectible || inv.Status == invoice.Void &&
			inv.ReplacedBy == ""):
			state.WrittenOff = append(state.WrittenOff, inv)
		}
	}
	for _, back := range s.takenBack {
		if s.sub.Spans(back) {
			state.Paid = append(state.Paid, back)
		}
	}
	state.Drafts = slices.Clone(s.drafts)
	state.Homes = s.homes()
	for _, t := range s.transactions {
		if t.Status == payment.Pending && t.Type == payment.Charge {
			state.Pending = append(state.Pending, t)
		}
	}
	for _, g := range s.grants {
		if g.VoidedAt.IsZero() && (g.Left > 0 || slices.ContainsFunc(state.Open, func(inv invoice.Invoice) bool { return uses(inv, g) })) {
			state.Grants = append(state.Grants, g)
		}
	}
	if len(state.Pending) > 1 {
		slices.SortFunc(state.Pending, func(a, b payment.Transaction) int { return cmp.Compare(a.ID, b.ID) })
	}
	if state.ReviewsDebts() {
		state.Elsewhere = &s.elsewhere
	}
	if captures || state.MayGiveBack() {
		state.Captures = map[string]payment.Transaction{}
		for _, inv := range state.Paid {
			if id := s.settled[inv.ID].TransactionID; id != "" {
				charge := *s.transaction(id)
				if s.provider != nil && s.provider.Limits.Granularity > 1 {
					charge.Granularity = s.provider.Limits.Granularity
				}
				state.Captures[inv.ID] = charge
			}
		}
	}
	return state
}

// write writes changes in the order of tx.Lifecycle.Write, with the refusals of the database.
func (s *store) write(c lifecycle.Changes) {
	inOrder := func(a, b lifecycle.InvoiceChange) int { return cmp.Compare(a.Kind, b.Kind) }
	if !slices.IsSortedFunc(c.Invoices, inOrder) {
		s.fail("invoices are written in another order than that of kinds: %v", c.Invoices)
	}
	seen := map[string]bool{}
	once := func(id string) {
		if seen[id] {
			s.fail("%s is written twice", id)
		}
		seen[id] = true
	}
	if c.Standing != nil {
		s.customer.Overdue = *c.Standing
	}
	for _, t := range c.Transactions {
		once(t.ID)
		s.saveTransaction(t)
	}
	for _, inv := range c.Invoices.Of(lifecycle.InvoiceChanged) {
		once(inv.ID)
		s.saveInvoice(inv)
	}
	for _, t := range c.NewTransactions {
		once(t.ID)
		s.insertTransaction(t)
	}
	for _, entry := range c.Credit {
		if entry.GrantID != "" {
			s.moveGrant(entry)
			if entry.Reason == invoice.CreditNoted {
				use := balance.Use{ID: entry.GrantID, Amount: entry.Amount}
				if s.toGrants == nil {
					s.toGrants = map[string]balance.Uses{}
				}
				s.toGrants[entry.InvoiceID] = append(s.toGrants[entry.InvoiceID], use)
			}
			continue
		}
		s.balance += entry.Amount
		used := entry.Reason == invoice.CreditApplied || entry.Reason == invoice.CreditRefunded
		if used && s.balance < 0 || entry.Amount == 0 {
			s.fail("credit of %d on account of %s leaves %d", entry.Amount, entry.InvoiceID, s.balance)
		}
	}
	for _, draft := range c.Invoices.Of(lifecycle.DraftDeleted) {
		once(draft.ID)
		s.takeDraft(draft.ID)
	}
	for _, inv := range c.Invoices.Of(lifecycle.DraftUpdated) {
		s.redraw(inv)
	}
	for _, inv := range c.Invoices.Of(lifecycle.InvoiceFinalized) {
		if inv.Status != invoice.Open && inv.Status != invoice.Paid || inv.Credited != (invoice.Credited{}) {
			s.fail("a draft becomes %+v", inv)
		}
		if s.sub.ID != "" {
			s.takeDraft(inv.ID)
		}
	}
	for _, inv := range c.Invoices.Of(lifecycle.DraftCreated) {
		once(inv.ID)
		s.insertDraft(inv)
	}
	for _, inv := range c.Invoices.Of(lifecycle.InvoiceFinalized, lifecycle.InvoiceCreated) {
		once(inv.ID)
		s.checkGrantsUsed(inv, c.Credit)
		s.insertInvoice(inv)
	}
	for _, inv := range c.Invoices.Of(lifecycle.FinalizedAndChanged) {
		s.saveInvoice(inv)
	}
	for _, back := range c.Invoices.Of(lifecycle.LinesTakenBack) { // one may have the id of a deleted draft
		s.insertTakenBack(back, c.CreditNotes)
	}
	for _, settled := range c.Settlements {
		s.settle(settled)
	}
	s.writeUsage(c)
	s.notes = append(s.notes, c.CreditNotes...)
	s.events = append(s.events, c.Events...)
	if c.Subscription != nil {
		s.saveSubscription(*c.Subscription)
	}
	s.checkReferences(c)
}

func (s *store) saveTransaction(t payment.Transaction) {
	old := s.transaction(t.ID)
	switch {
	case old == nil:
		s.fail("transaction %s is changed, but was never written", t.ID)
	case old.Revision != t.Revision:
		s.fail("transaction %s is of revision %d, not %d", t.ID, old.Revision, t.Revision)
	case old.Status != t.Status && !payment.CanBecome(t.Type, old.Status, t.Status):
		s.fail("transaction %s is %s and cannot become %s", t.ID, old.Status, t.Status)
	case t.AmountRefunded < 0 || t.AmountRefunded > t.Amount || t.Amount != old.Amount || t.InvoiceID != old.InvoiceID:
		s.fail("transaction %s: amounts or invoice", t.ID)
	case t.Status == payment.Pending != t.CompletedAt.IsZero():
		s.fail("transaction %s is %s, completed at %s", t.ID, t.Status, t.CompletedAt)
	}
	*old = t
	old.Revision++
}

func (s *store) insertTransaction(t payment.Transaction) {
	if _, ok := s.place[t.ID]; ok || t.Revision != 1 {
		s.fail("transaction %s exists already, or is new with revision %d", t.ID, t.Revision)
	}
	if t.Amount <= 0 {
		s.fail("transaction %s of %d", t.ID, t.Amount)
	}
	for _, other := range s.transactions {
		if t.Type == payment.Charge && t.Status == payment.Pending && other.Type == payment.Charge &&
			other.Status == payment.Pending && other.InvoiceID == t.InvoiceID {
			s.fail("%s and %s are live attempts of one invoice", t.ID, other.ID)
		}
		if t.RecoveredFrom != "" && other.RecoveredFrom == t.RecoveredFrom {
			s.fail("%s is recovered twice", t.RecoveredFrom)
		}
	}
	s.place[t.ID] = len(s.transactions)
	s.transactions = append(s.transactions, t)
}

func (s *store) saveInvoice(inv invoice.Invoice) {
	old := s.invoice(inv.ID)
	switch {
	case old == nil:
		s.fail("invoice %s is changed, but was never written", inv.ID)
	case old.Status == invoice.Paid && inv.Status == invoice.Paid && inv.Credited.Total > old.Credited.Total:
	case old.Status != invoice.Open && (old.Status != invoice.Uncollectible || inv.Status != invoice.Paid):
		s.fail("invoice %s is %s, which is final", inv.ID, old.Status)
	case old.Discount != inv.Discount || old.Tax != inv.Tax || !reflect.DeepEqual(old.Taxes, inv.Taxes) ||
		old.TaxExempt != inv.TaxExempt || !reflect.DeepEqual(old.GrantsUsed, inv.GrantsUsed):
		s.fail("invoice %s: what it comes to was changed", inv.ID)
	case old.Total != inv.Total || old.Period != inv.Period || old.PeriodIndex != inv.PeriodIndex || old.Reason != inv.Reason:
		s.fail("invoice %s: an immutable column was changed", inv.ID)
	}
	s.checkInvoice(inv)
	*old = inv
}

func (s *store) insertInvoice(inv invoice.Invoice) {
	if _, ok := s.place[inv.ID]; ok {
		s.fail("invoice %s exists already", inv.ID)
	}
	s.checkInvoice(inv)
	corrects := func(l invoice.Line) bool { return l.Kind == invoice.Metered && l.Amount < 0 } // see ADR 81
	if inv.Total < 0 && !slices.ContainsFunc(inv.Lines, corrects) {
		s.fail("an invoice below zero: %+v", inv)
	}
	for _, other := range s.invoices {
		opens := inv.Reason != invoice.Update && inv.Reason != invoice.Usage
		if opens && inv.Reason == other.Reason && inv.Period.Start.Equal(other.Period.Start) {
			s.fail("%s and %s bill the period of %s for one reason", inv.ID, other.ID, inv.Period)
		}
	}
	s.place[inv.ID] = len(s.invoices)
	inv.Number = int64(len(s.invoices) + 1)
	s.invoices = append(s.invoices, inv)
}

// checkInvoice checks the CHECKs of the table.
func (s *store) checkInvoice(inv invoice.Invoice) {
	paid := money.Minor(0)
	if inv.Status == invoice.Paid {
		paid = inv.AmountDue
	}
	if inv.AmountDue != max(inv.Total, 0)-inv.CreditApplied+inv.BroughtForward-inv.CarriedForward-inv.Credited.Due || inv.AmountDue < 0 ||
		inv.CreditApplied < 0 || inv.AmountPaid != paid || inv.Credited.Total > max(inv.Total, 0) {
		s.fail("invoice %s: total %d, credit %d, due %d, paid %d",
			inv.ID, inv.Total, inv.CreditApplied, inv.AmountDue, inv.AmountPaid)
	}
	if sum, err := invoice.Sum(inv.Lines); err != nil || sum != inv.Subtotal() {
		s.fail("invoice %s: lines of %d, total %d with tax of %d", inv.ID, sum, inv.Total, inv.Tax)
	}
	if (inv.Status == invoice.Paid) != !inv.PaidAt.IsZero() || (inv.Status == invoice.Void) != !inv.VoidedAt.IsZero() {
		s.fail("invoice %s is %s, paid at %s, voided at %s", inv.ID, inv.Status, inv.PaidAt, inv.VoidedAt)
	}
}

func (s *store) settle(settled lifecycle.Settlement) {
	if _, ok := s.settled[settled.InvoiceID]; ok || (settled.TransactionID == "") != (settled.Amount == 0) {
		s.fail("%s is settled twice, or by nothing: %+v", settled.InvoiceID, settled)
	}
	inv := s.invoice(settled.InvoiceID)
	if inv == nil || inv.Status != invoice.Paid || inv.AmountDue != settled.Amount {
		s.fail("settlement %+v of %+v", settled, inv)
	}
	if id := settled.TransactionID; id != "" {
		if t := s.transaction(id); t == nil || t.Status != payment.Success || t.InvoiceID != settled.InvoiceID {
			s.fail("settlement %+v by %+v", settled, t)
		}
	}
	s.settled[settled.InvoiceID] = settled
}

func (s *store) saveSubscription(sub subscription.Subscription) {
	if sub.Revision != s.sub.Revision {
		s.fail("the subscription is of revision %d, not %d", s.sub.Revision, sub.Revision)
	}
	s.sub = sub
	s.sub.Revision++
}

// checkReferences checks the foreign keys, and assumptions of the caller.
func (s *store) checkReferences(c lifecycle.Changes) {
	for _, entry := range c.Credit {
		if entry.InvoiceID != "" && s.invoice(entry.InvoiceID) == nil {
			s.fail("credit of %d is on account of %s, which no reader can find", entry.Amount, entry.InvoiceID)
		}
	}
	for _, t := range c.NewTransactions {
		if t.InvoiceID != "" && s.invoice(t.InvoiceID) == nil {
			s.fail("%s pays %s, which does not exist", t.ID, t.InvoiceID)
		}
		followed := (t.Type == payment.Refund || s.sub.ID == "") && t.Status == payment.Pending
		if followed != slices.Contains(c.Starts, t.ID) {
			s.fail("a pending refund is followed by a workflow of its own, a charge by its subscription's: %s, %v", t.ID, c.Starts)
		}
	}
	if c.Attempt != "" && c.Made(c.Attempt) == nil {
		s.fail("the attempt %s is not among the new transactions", c.Attempt)
	}
	if id := s.sub.CollectingInvoiceID; id != "" && s.invoice(id) == nil {
		s.fail("%s is in collection, but does not exist", id)
	}
}

func (s *store) fail(format string, args ...any) {
	require.FailNowf(s.t, "the store refuses", format, args...)
}

// number gives new invoices the numbers of the write.
func (s *store) number(state *lifecycle.State) {
	for _, list := range [][]invoice.Invoice{state.Open, state.Paid, state.WrittenOff} {
		for i := range list {
			if list[i].Status != invoice.TakenBack {
				list[i].Number = s.invoice(list[i].ID).Number
			}
		}
	}
}

// clone copies the rows, as a backup does.
func (s *store) clone() *store {
	out := *s
	out.invoices, out.transactions, out.events = slices.Clone(s.invoices), slices.Clone(s.transactions), slices.Clone(s.events)
	out.takenBack = slices.Clone(s.takenBack)
	out.notes, out.grants, out.drafts = slices.Clone(s.notes), slices.Clone(s.grants), slices.Clone(s.drafts)
	for i := range out.invoices {
		out.invoices[i].Lines = slices.Clone(out.invoices[i].Lines)
	}
	out.segments, out.charges, out.records = slices.Clone(s.segments), slices.Clone(s.charges), slices.Clone(s.records)
	out.place, out.settled = map[string]int{}, map[string]lifecycle.Settlement{}
	for id, i := range s.place {
		out.place[id] = i
	}
	for id, settled := range s.settled {
		out.settled[id] = settled
	}
	return &out
}
