package subscriptions

import (
	"context"
	"slices"

	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/db"
)

// LatestInvoice is the newest invoice of a subscription with the state of its payment, from which an app decides its
// next step.
type LatestInvoice struct {
	ID        string            `json:"id" example:"inv_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Status    string            `json:"status" enum:"draft,open,paid,void,uncollectible" example:"open" doc:"As of the invoice itself."`
	Total     int64             `json:"total" example:"1900" doc:"Minor units of the subscription's currency."`
	AmountDue int64             `json:"amountDue" example:"1900" doc:"The amount to pay, in minor units, as of the invoice itself."`
	HostedURL string            `json:"hostedUrl,omitempty" example:"https://billing.example.com/invoice/01jcz6…" doc:"As of the invoice itself: the page on which its payer can pay it."`
	Payment   *payments.Payment `json:"payment,omitempty" doc:"The newest attempt to collect it. With requiresAction, send the payer to confirmUrl. Absent: there was none yet, or none is needed."`
}

func (h *Handler) renderLatest(c *httpkit.Call, inv invoice.Invoice, attempt *payment.Transaction) *LatestInvoice {
	out := LatestInvoice{
		ID: inv.ID, Status: string(inv.Status), Total: int64(inv.Total), AmountDue: int64(inv.AmountDue),
		HostedURL: h.payments.HostedLink(c, inv),
	}
	if attempt != nil && attempt.InvoiceID == inv.ID {
		shown := h.payments.RenderPayment(*attempt)
		out.Payment = &shown
	}
	return &out
}

// madeOf renders the result of a command, with the newest invoice that it created.
func (h *Handler) madeOf(c *httpkit.Call) func(usecase.Performed) httpkit.Made[Subscription] {
	return func(p usecase.Performed) httpkit.Made[Subscription] {
		out := madeSubscription(p.Subscription)
		if drawn := p.Invoices.Drawn(); len(drawn) > 0 {
			out.Resource.LatestInvoice = h.renderLatest(c, drawn[len(drawn)-1], p.Attempt)
		}
		return out
	}
}

// withLatest returns a subscription with its latest invoice.
func (h *Handler) withLatest(
	ctx context.Context, c *httpkit.Call, sub subscription.Subscription,
) (Subscription, error) {
	out := renderSubscription(sub)
	inv, attempt, err := h.attemptOf(ctx, c, sub.ID, "")
	if err == nil && inv.ID != "" {
		out.LatestInvoice = h.renderLatest(c, inv, attempt)
	}
	return out, err
}

// attemptOf returns an invoice of a subscription, if it has one, with its newest attempt; nil: none was made. An empty
// id names its newest invoice.
func (h *Handler) attemptOf(
	ctx context.Context, c *httpkit.Call, id, invoiceID string,
) (inv invoice.Invoice, attempt *payment.Transaction, err error) {
	// The newest rows too: a list for clients with a cursor leaves out rows that may still get an older neighbour.
	newest := db.Page{Limit: 1, Unsettled: true}
	if invoiceID != "" {
		inv, err = h.store.Invoices.Get(ctx, c.EnvironmentID, invoiceID)
	} else {
		var found []invoice.Invoice
		found, _, err = h.store.Invoices.List(ctx, c.EnvironmentID, db.InvoiceFilter{SubscriptionID: id}, newest)
		if len(found) > 0 {
			inv = found[0]
		}
	}
	if err != nil || inv.ID == "" {
		return inv, nil, err
	}
	attempts, _, err := h.store.Payments.Transactions(ctx, c.EnvironmentID, db.TransactionFilter{
		InvoiceID: inv.ID, Type: payment.Charge,
	}, newest)
	if len(attempts) > 0 {
		attempt = &attempts[0]
	}
	return inv, attempt, err
}

// maxPending bounds the charges of one subscription that are read; one is pending, and some may be called off.
const maxPending = 20

// decided delays a response, if the caller asks for it, until the subscription has no payment in progress, except those
// that wait for their payer. A trial has none.
func (h *Handler) decided(
	ctx context.Context, c *httpkit.Call, id string, out *httpkit.Reply[Subscription],
) *httpkit.Reply[Subscription] {
	return httpkit.Await(ctx, h.kit, c, out, db.AwaitedSubscription(c.EnvironmentID, id),
		func(ctx context.Context) (shown Subscription, final bool, err error) {
			sub, steady, err := h.steady(ctx, c, id, func(sub subscription.Subscription) error {
				pending, _, err := h.store.Payments.Transactions(ctx, c.EnvironmentID, db.TransactionFilter{
					SubscriptionID: id, Status: payment.Pending, Type: payment.Charge,
				}, db.Page{Limit: maxPending, Unsettled: true})
				if err != nil {
					return err
				}
				final = !slices.ContainsFunc(pending, func(t payment.Transaction) bool { return !t.WaitsForPayer() })
				shown, err = h.withLatest(ctx, c, sub)
				return err
			})
			// begin: the workflow has not opened the first period yet. Without a charge, everything would look paid.
			return shown, final && steady && sub.NextAction != subscription.ActionBegin, err
		})
}

// maxReads bounds the reads of a subscription that changes all the time.
const maxReads = 5

// steady reads a subscription and then what depends on it, anew until the subscription is the same before and after: a
// payment that ends in between would otherwise be shown beside a subscription that does not know of it.
func (h *Handler) steady(
	ctx context.Context, c *httpkit.Call, id string, read func(subscription.Subscription) error,
) (sub subscription.Subscription, steady bool, err error) {
	sub, err = h.store.Subscriptions.Get(ctx, c.EnvironmentID, id)
	for range maxReads {
		if err != nil {
			return sub, false, err
		}
		if err := read(sub); err != nil {
			return sub, false, err
		}
		was := sub.Revision
		if sub, err = h.store.Subscriptions.Get(ctx, c.EnvironmentID, id); err == nil && sub.Revision == was {
			return sub, true, nil
		}
	}
	return sub, false, err
}
