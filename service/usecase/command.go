package usecase

import (
	"context"
	"slices"
	"time"

	"perennial/billing/audit"
	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/db"
)

// Performed is the result of a command.
type Performed struct {
	Subscription subscription.Subscription
	Attempt      *payment.Transaction     // the attempt that the command made; nil: none
	Invoices     lifecycle.InvoiceChanges // a finalized one has its number once it is written
	Settlements  []lifecycle.Settlement
	CreditNotes  []creditnote.Note
	Refund       *payment.Transaction // the refund that the command made; nil: none
}

// Invoice returns an invoice that the command finalized or changed.
func (p Performed) Invoice(id string) invoice.Invoice { return *p.Invoices.Latest(id) }

// Settlement returns the settlement of an invoice that the command settled.
func (p Performed) Settlement(invoiceID string) lifecycle.Settlement {
	i := slices.IndexFunc(p.Settlements, func(s lifecycle.Settlement) bool { return s.InvoiceID == invoiceID })
	return p.Settlements[i]
}

// Command performs one command, after all work that is due by then, in the caller's transaction. The subscription's row
// lock orders commands. Its workflow is signaled after the commit, and refunds get their own workflows. A refusal of
// the rules is returned as their fault; then nothing was written. Faults: subscription_not_found, those of
// lifecycle.Apply.
func Command(
	ctx context.Context, tx *db.Tx, environmentID, subscriptionID string, cmd lifecycle.Command,
) (Performed, error) {
	return Perform(ctx, tx, environmentID, subscriptionID, cmd, lifecycle.Apply)
}

// Then adds a second command on a subscription to a first one, in its transaction: both are performed, or neither. The
// caller receives the results of the first, with the subscription as the second leaves it. A refusal of the second is
// the refusal of both.
func Then(
	ctx context.Context, by Caller, subscriptionID string, cmd lifecycle.Command, around Around[Performed],
) Around[Performed] {
	return Around[Performed]{Before: around.Before, After: func(tx *db.Tx, first Performed) error {
		second, err := Command(ctx, tx, by.EnvironmentID, subscriptionID, cmd)
		if err != nil {
			return err
		}
		first.Subscription = second.Subscription
		if around.After == nil {
			return nil
		}
		return around.After(tx, first)
	}}
}

// apply is lifecycle.Apply, or refuses more than it does.
type apply func(lifecycle.State, lifecycle.Command, lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error)

// Perform is Command with rules that may refuse more.
func Perform(
	ctx context.Context, tx *db.Tx, environmentID, subscriptionID string, cmd lifecycle.Command, as apply,
) (Performed, error) {
	found, cmd, err := Lock(ctx, tx, environmentID, subscriptionID, cmd)
	if err != nil {
		return Performed{}, err
	}
	state, changes, err := as(found, cmd, db.Moment(tx.Now, tx.Real))
	if err != nil {
		return Performed{}, err
	}
	AuditCommand(tx, found, state, changes)
	if lifecycle.LeavesAtRest(found, state, changes) {
		tx.Tell(environmentID, state, cmd.Name())
	} else if err := tx.Wake(ctx, environmentID, state, cmd.Name()); err != nil {
		return Performed{}, err
	}
	return Shown(state, changes), tx.Lifecycle.Write(ctx, environmentID, state, changes)
}

// AuditCommand adds a command's changes to the audit log: of the subscription, and of the invoices that it had before.
func AuditCommand(tx *db.Tx, found, state lifecycle.State, changes lifecycle.Changes) {
	was, is := found.Subscription, state.Subscription
	if was.ID != "" {
		tx.AuditAlso(audit.Of(was.ID, audit.Changes("subscription", audit.Differing(was, is), was, is))...)
	}
	known := slices.Concat(found.Open, found.Paid, found.WrittenOff, found.Drafts)
	became := map[string]invoice.Invoice{}
	for _, inv := range changes.Invoices.Of(
		lifecycle.InvoiceChanged, lifecycle.InvoiceFinalized, lifecycle.FinalizedAndChanged) {
		became[inv.ID] = inv
	}
	for _, had := range known {
		inv, changed := became[had.ID]
		if !changed {
			continue
		}
		tx.AuditAlso(audit.Of(inv.ID, audit.Changes("invoice", audit.Differing(had, inv), had, inv))...)
		type shown struct{ NextAttemptAt time.Time } // as the API names it
		was, is := shown{had.Collection.RetryAt}, shown{inv.Collection.RetryAt}
		tx.AuditAlso(audit.Of(inv.ID, audit.Changes("invoice", audit.Differing(was, is), was, is))...)
	}
}

// Shown returns the changes that the caller of a command is shown. Credit notes get their numbers when they are
// written.
func Shown(s lifecycle.State, c lifecycle.Changes) Performed {
	return Performed{
		Subscription: s.Subscription, Attempt: c.Made(c.Attempt), Invoices: c.Invoices,
		Settlements: c.Settlements, CreditNotes: c.CreditNotes, Refund: c.Made(c.Refund),
	}
}

// Lock reads a subscription under lock, with all that a command on it depends on; a nil command depends on nothing
// more.
func Lock(
	ctx context.Context, tx *db.Tx, environmentID, subscriptionID string, cmd lifecycle.Command,
) (lifecycle.State, lifecycle.Command, error) {
	found, err := tx.Lifecycle.LockSubscription(ctx, environmentID, subscriptionID)
	if err == nil {
		cmd, err = Informed(ctx, tx, environmentID, &found, cmd)
	}
	return found, cmd, err
}

// Informed reads, under lock, the facts that a command needs besides the common State.
func Informed(
	ctx context.Context, tx *db.Tx, environmentID string, found *lifecycle.State, cmd lifecycle.Command,
) (lifecycle.Command, error) {
	if found.NeedsCaptures(cmd) && found.Captures == nil {
		if err := tx.Lifecycle.LockCaptures(ctx, environmentID, found); err != nil {
			return cmd, err
		}
	}
	if c, ok := cmd.(lifecycle.Migrate); ok {
		to, err := tx.Catalog.PlanVersion(ctx, environmentID, c.Target(*found))
		c.To = &to
		return c, InParam(err, "planVersion")
	}
	if c, ok := cmd.(lifecycle.CreditInvoice); ok {
		return creditable(ctx, tx, environmentID, c, c.Invoice.ID)
	}
	if c, ok := cmd.(lifecycle.RefundInvoice); ok {
		return refundable(ctx, tx, environmentID, c)
	}
	if c, ok := cmd.(lifecycle.RedeemCoupon); ok {
		coupon, err := tx.Catalog.CouponByCode(ctx, environmentID, c.Code)
		c.Coupon = &coupon
		return c, InParam(err, "couponCode")
	}
	if c, ok := cmd.(lifecycle.SetPaymentMethod); ok {
		var err error
		c.Method, err = methodNamed(ctx, tx, environmentID, found.Customer.ID, c.MethodID)
		return c, err
	}
	if c, ok := cmd.(lifecycle.Pay); ok && c.MethodID != "" {
		var err error
		c.Method, err = methodNamed(ctx, tx, environmentID, found.Customer.ID, c.MethodID)
		return c, err
	}
	if c, ok := cmd.(lifecycle.VoidInvoice); ok {
		all := slices.Concat(found.Open, found.Drafts) // a draft whose grace is over is issued first
		i := slices.IndexFunc(all, func(inv invoice.Invoice) bool { return inv.ID == c.InvoiceID })
		if i < 0 {
			return c, nil
		}
		var err error
		if c.TakenBack, err = tx.Invoices.TakenBack(ctx, environmentID, all[i]); err != nil {
			return c, err
		}
		c, err := tx.Catalog.WithCoupons(ctx, environmentID, c, all[i])
		if err != nil || len(c.Coupons) == 0 || found.Subscription.LateUsageUntil.IsZero() {
			return c, err
		}
		return c, unbilled(ctx, tx, environmentID, found.Subscription.ID, &c.Unbilled)
	}
	if c, ok := cmd.(lifecycle.MarkPaid); ok && !found.IsOpen(c.InvoiceID) {
		closed, err := tx.Invoices.Lock(ctx, environmentID, c.InvoiceID)
		c.Closed = &closed
		return c, err
	}
	return cmd, nil
}

// creditable returns the credit note of an invoice with its facts under lock.
func creditable(
	ctx context.Context, tx *db.Tx, environmentID string, c lifecycle.CreditInvoice, invoiceID string,
) (lifecycle.CreditInvoice, error) {
	under, err := tx.Invoices.LockForCredit(ctx, environmentID, invoiceID)
	under.Request = c.Request
	return under, err
}

// refundable returns the refund of a charge with its facts under lock, in the order of locks: the invoice first.
func refundable(
	ctx context.Context, tx *db.Tx, environmentID string, c lifecycle.RefundInvoice,
) (lifecycle.Command, error) {
	var err error
	if c.Note, err = creditable(ctx, tx, environmentID, c.Note, c.Charge.InvoiceID); err != nil {
		return c, err
	}
	c.Charge, err = tx.Payments.LockTransaction(ctx, environmentID, c.Charge.ID)
	return c, err
}
