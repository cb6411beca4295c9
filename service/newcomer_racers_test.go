package service

import (
	"context"

	"perennial/billing/balance"
	"perennial/billing/creditnote"
	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/service/customers"
	"perennial/service/invoices"
	"perennial/service/payments"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
)

// racer performs something on a customer in one transaction, which calls hold when all but the commit is done.
type racer func(ctx context.Context, w *newcomer, hold func()) error

// racers are the commands that move a balance or request money, and those that hold the same locks.
var racers = map[string]racer{
	"downgrade": change(first,
		func(w *newcomer) subscriptions.PlanChange { return subscriptions.PlanChange{PlanID: w.cheap} }),
	"upgrade": change(first,
		func(w *newcomer) subscriptions.PlanChange { return subscriptions.PlanChange{PlanID: w.dear} }),
	"downgrade the second": change(second,
		func(w *newcomer) subscriptions.PlanChange { return subscriptions.PlanChange{PlanID: w.cheap} }),
	"upgrade the second": change(second,
		func(w *newcomer) subscriptions.PlanChange { return subscriptions.PlanChange{PlanID: w.dear} }),
	"replace an open invoice": change(third,
		func(w *newcomer) subscriptions.PlanChange { return subscriptions.PlanChange{PlanID: w.dear} }),
	"downgrade at the end": change(first, func(w *newcomer) subscriptions.PlanChange {
		return subscriptions.PlanChange{PlanID: w.cheap, AtPeriodEnd: true}
	}),
	"downgrade, billed later": change(first, func(w *newcomer) subscriptions.PlanChange {
		return subscriptions.PlanChange{PlanID: w.cheap, Proration: subscription.NextInvoice}
	}),
	"cancel with refund": onSubscription(first, lifecycle.Cancel{Immediate: true, RefundUnused: true}),
	"cancel":             onSubscription(first, lifecycle.Cancel{Immediate: true}),
	"cancel the third":   onSubscription(third, lifecycle.Cancel{Immediate: true, RefundUnused: true}),
	"pause":              onSubscription(first, lifecycle.Pause{CreditUnused: true}),
	"move the anchor":    onSubscription(first, lifecycle.MoveAnchor{Proration: subscription.InvoiceNow}),
	"redeem": func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Service.Subscriptions.Command(ctx, w.caller, w.first.ID, lifecycle.RedeemCoupon{Code: w.coupon},
			around[usecase.Performed](ctx, w, hold))
	},
	"pay": func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Invoices.PayInvoice(ctx, w.caller, lifecycle.Pay{InvoiceID: w.open}, around[usecase.Performed](ctx, w, hold))
	},
	"void": func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Invoices.VoidInvoice(ctx, w.caller, w.open, around[invoice.Invoice](ctx, w, hold))
	},
	"mark paid": func(ctx context.Context, w *newcomer, hold func()) error {
		in := invoices.OutsidePayment{MarkPaid: lifecycle.MarkPaid{InvoiceID: w.open, Method: "cash"}}
		return w.Invoices.MarkPaid(ctx, w.caller, in, around[invoice.Invoice](ctx, w, hold))
	},
	"credit note":           note(paid, creditnote.Request{Amount: 1_100}),
	"credit note in money":  note(paid, creditnote.Request{Amount: 900, InMoney: true}),
	"credit note when open": note(open, creditnote.Request{Amount: 700}),
	"refund": func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Service.Payments.RefundCharge(ctx, w.caller, w.charge,
			payments.ChargeRefund{Amount: 300, CreditNote: true}, around[payment.Transaction](ctx, w, hold))
	},
	"finalize": func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Invoices.FinalizeInvoice(ctx, w.caller, w.draft, false, around[invoice.Invoice](ctx, w, hold))
	},
	"grant": func(ctx context.Context, w *newcomer, hold func()) error {
		g := balance.Grant{CustomerID: w.id, Currency: "EUR", Amount: 2_000}
		return w.Customers.GrantCredit(ctx, w.caller, g, around[db.CreditGrant](ctx, w, hold))
	},
	"adjust": func(ctx context.Context, w *newcomer, hold func()) error {
		in := customers.BalanceAdjustment{CustomerID: w.id, Currency: "EUR", Amount: 50}
		return w.Customers.AdjustBalance(ctx, w.caller, in, around[db.BalanceEntry](ctx, w, hold))
	},
	"adjust below zero": func(ctx context.Context, w *newcomer, hold func()) error {
		in := customers.BalanceAdjustment{CustomerID: w.id, Currency: "EUR", Amount: -400}
		return w.Customers.AdjustBalance(ctx, w.caller, in, around[db.BalanceEntry](ctx, w, hold))
	},
	"another method": func(ctx context.Context, w *newcomer, hold func()) error {
		details := customer.PaymentDetails{CustomerToken: "cus_2", PaymentMethodToken: "pm_2"}
		_, err := w.Customers.UpdateCustomer(ctx, w.caller, w.id, customers.CustomerUpdate{PaymentDetails: &details},
			func(*db.Tx, customer.Customer) error { hold(); return nil })
		return err
	},
	"delete": func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Customers.EraseCustomer(ctx, w.caller, w.id, around[string](ctx, w, hold))
	},
	"subscribe": func(ctx context.Context, w *newcomer, hold func()) error {
		in := subscriptions.NewSubscription{CustomerID: w.id, PlanID: w.base}
		_, err := w.Service.Subscriptions.CreateSubscription(ctx, w.caller, in,
			func(tx *db.Tx, made subscription.Subscription) error {
				err := doDue(ctx, tx, contract.Ref{EnvironmentID: w.Env, ID: made.ID})
				hold()
				return err
			})
		return err
	},
	"preview a subscription": func(ctx context.Context, w *newcomer, hold func()) error {
		in := subscriptions.NewSubscription{CustomerID: w.id, PlanID: w.base}
		return w.Service.Subscriptions.PreviewNewSubscription(ctx, w.caller, in, 1,
			around[subscriptions.Previewed](ctx, w, hold))
	},
	"advance": func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Scene.Store.InTx(ctx, db.BySystem("test"), w.Clock.Now(), func(tx *db.Tx) error {
			err := doDue(ctx, tx, w.first)
			hold()
			return err
		})
	},
}

func first(w *newcomer) contract.Ref { return w.first }

func second(w *newcomer) contract.Ref { return w.second }

func third(w *newcomer) contract.Ref { return w.third }

func paid(w *newcomer) string { return w.paid }

func open(w *newcomer) string { return w.open }

func change(which func(*newcomer) contract.Ref, to func(*newcomer) subscriptions.PlanChange) racer {
	return func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Service.Subscriptions.ChangePlan(ctx, w.caller, which(w).ID, to(w), around[usecase.Performed](ctx, w, hold))
	}
}

func onSubscription(which func(*newcomer) contract.Ref, cmd lifecycle.Command) racer {
	return func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Service.Subscriptions.Command(ctx, w.caller, which(w).ID, cmd, around[usecase.Performed](ctx, w, hold))
	}
}

func note(of func(*newcomer) string, ask creditnote.Request) racer {
	ask.Reason = creditnote.Goodwill
	return func(ctx context.Context, w *newcomer, hold func()) error {
		return w.Invoices.CreditInvoice(ctx, w.caller, of(w), ask, around[creditnote.Note](ctx, w, hold))
	}
}

// doDue performs due work, as the activity of that name.
func doDue(ctx context.Context, tx *db.Tx, ref contract.Ref) error {
	state, err := tx.Lifecycle.LockSubscription(ctx, ref.EnvironmentID, ref.ID)
	if err != nil {
		return err
	}
	state, changes, err := lifecycle.Advance(state, db.Moment(tx.Now, tx.Real))
	if err != nil {
		return err
	}
	return tx.Lifecycle.Write(ctx, ref.EnvironmentID, state, changes)
}
