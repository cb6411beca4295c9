package payments

import (
	"context"
	"encoding/json"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

// Payment is one attempt to move money: a charge, or a refund of one. Values that a reader would have to compute are
// fields: needsReview and refundOwed are filters of operators, and amountRefunded saves adding the refunds up. The
// reference and the message of the provider are those of the operation that counts.
type Payment struct {
	ID               string          `json:"id" example:"txn_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Type             string          `json:"type" enum:"charge,refund" example:"charge"`
	Status           string          `json:"status" enum:"pending,success,failed,declined,canceled,refunded" example:"pending"`
	CustomerID       string          `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	SubscriptionID   string          `json:"subscriptionId,omitempty" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	InvoiceID        string          `json:"invoiceId,omitempty"`
	Amount           int64           `json:"amount" example:"1900" doc:"Minor units of the currency."`
	Currency         string          `json:"currency" example:"USD"`
	Description      string          `json:"description,omitempty"`
	PaymentMethodID  string          `json:"paymentMethodId,omitempty" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The payment method that was charged. Absent: none, or unknown."`
	AttemptNumber    int             `json:"attemptNumber,omitempty" doc:"The number of the attempt among those of its invoice, from 1."`
	Provider         string          `json:"provider,omitempty" example:"stripe" doc:"Decided when the payment is sent; absent before. external: it was made outside Perennial."`
	ProviderRef      string          `json:"providerReference,omitempty" example:"pi_3MtwBwLkdIwHu7ix28a3tqPa" doc:"The provider's own id."`
	FailureReason    string          `json:"failureReason,omitempty" example:"Your card has insufficient funds." doc:"Why the payment failed. On a refund with returnedAt: why the bank sent the money back; the status stays refunded, and its charge shows the amount in refundOwed."`
	FailureCode      string          `json:"failureCode,omitempty" enum:"INSUFFICIENT_FUNDS,INVALID_ACCOUNT,DECLINED,DAILY_LIMIT,ACCOUNT_BLOCKED" doc:"For programs. INVALID_ACCOUNT also covers an environment without a payment provider; failureReason tells which."`
	RequiresAction   bool            `json:"requiresAction,omitempty" doc:"true: the payer must confirm the pending payment at confirmUrl. Nothing else is tried meanwhile."`
	ConfirmURL       string          `json:"confirmUrl,omitempty" example:"https://billing.example.com/confirm/4LTZ6E3Y2NQ5WCJD7ROKAHVSXM" doc:"Where the payer confirms the payment. Who has the link can use it: send it to the payer only."`
	ConfirmBy        int64           `json:"confirmBy,omitempty" example:"1763726400" doc:"Until when the payer can confirm. Then the payment fails, and retries go on."`
	Hold             string          `json:"hold,omitempty" enum:"charging_paused,no_provider" doc:"Why a pending payment is not sent yet. charging_paused: it is sent when charging is resumed. no_provider: no payment provider can take it now, and it is tried again. failureReason says more."`
	ProviderResponse json.RawMessage `json:"providerResponse,omitempty" doc:"The provider's message, without secrets."`
	AmountRefunded   int64           `json:"amountRefunded" doc:"The part of a charge that was given back: refunded, or returned as credit (credit-refund)."`
	RefundOwed       int64           `json:"refundOwed,omitempty" doc:"The part of a charge whose refund failed, or was sent back by the bank. Retry the refund, or return the amount as credit."`
	ReturnedAt       int64           `json:"returnedAt,omitempty" doc:"The time when the bank sent the money of this refund back. A refund that books a dispute is returned when the dispute is won."`
	Disputed         bool            `json:"disputed,omitempty" doc:"true: a dispute of the charge is open."`
	AmountWithdrawn  int64           `json:"amountWithdrawn,omitempty" doc:"The part of the charge that banks hold, or have taken for good, because of disputes."`
	Disputes         []Dispute       `json:"disputes,omitempty" doc:"The disputes of the charge, oldest first."`
	NeedsReview      bool            `json:"needsReview,omitempty" doc:"true: the payment's outcome at the provider is unknown or contradicts its status, and an operator must review it."`
	ReviewReason     string          `json:"reviewReason,omitempty" example:"amount_mismatch" doc:"Why the payment needs review."`
	ChargeID         string          `json:"chargeId,omitempty" doc:"The charge that this refund refunds."`
	RecoveredFrom    string          `json:"recoveredFrom,omitempty" doc:"The canceled charge that the provider captured nevertheless."`
	Sends            []PaymentSend   `json:"sends,omitempty" doc:"The sends of the payment, oldest first: more than one where an account did not take it. Only of a single payment, not in lists."`
	CreatedAt        int64           `json:"createdAt" example:"1763640000"`
	CancelRequested  int64           `json:"cancelRequestedAt,omitempty" doc:"The time when the charge was asked to be canceled: by cancelPayment, or because its subscription or invoice ended. While it is pending, the provider has not confirmed."`
	CompletedAt      int64           `json:"completedAt,omitempty" doc:"The time when the payment reached a final status."`
}

// RenderPayment renders the present state of a payment; the link for its payer is that of this installation.
func (h *Handler) RenderPayment(t payment.Transaction) Payment {
	// The row keeps the reason when the review is over, so that the same finding does not lead to another review. Here
	// it would look as if a person still had to act.
	reason := t.Review.Reason
	if t.ParkedAt.IsZero() {
		reason = ""
	}
	out := Payment{
		// providerResponse was redacted by the adapter before it was stored: nothing here has to hide parts of it.
		ID: t.ID, Type: string(t.Type), Status: string(t.Status), CustomerID: t.CustomerID,
		SubscriptionID: t.SubscriptionID, InvoiceID: t.InvoiceID, Amount: int64(t.Amount),
		Currency: string(t.Currency), Description: t.Description, AttemptNumber: t.AttemptNumber,
		PaymentMethodID: t.PaymentMethodID,
		Provider:        t.Provider, ProviderRef: t.ProviderRef, FailureReason: t.FailureReason, FailureCode: t.FailureCode,
		Hold:             holdOf(t),
		ProviderResponse: json.RawMessage(t.ProviderResponse), AmountRefunded: int64(t.AmountRefunded),
		RefundOwed: int64(t.RefundOwed), NeedsReview: !t.ParkedAt.IsZero(), ReviewReason: reason,
		ReturnedAt: view.Unix(t.ReturnedAt), Disputed: !t.DisputedAt.IsZero(),
		AmountWithdrawn: int64(t.Captured().Withdrawn()),
		Disputes:        renderDisputes(t), ChargeID: t.ChargeID, RecoveredFrom: t.RecoveredFrom,
		CreatedAt: view.Unix(t.CreatedAt), CancelRequested: view.Unix(t.CancelRequestedAt),
		CompletedAt: view.Unix(t.CompletedAt),
	}
	if out.ConfirmURL = h.ConfirmLink(t); out.ConfirmURL != "" {
		out.RequiresAction, out.ConfirmBy = true, view.Unix(t.Action.ExpiresAt)
	}
	return out
}

// holdOf returns why a payment is not sent yet; empty: it was, or nothing keeps it.
func holdOf(t payment.Transaction) string {
	switch {
	case t.Status != payment.Pending || t.HeldBack.At.IsZero():
		return ""
	case t.HeldBack.ByStop:
		return "charging_paused"
	}
	return "no_provider"
}

// PaymentStatus is the part of a payment that a publishable key may see: a checkout page needs no more.
type PaymentStatus struct {
	ID          string `json:"id" example:"txn_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Status      string `json:"status" enum:"pending,success,failed,declined,canceled,refunded" example:"success"`
	CompletedAt int64  `json:"completedAt,omitempty"`
}

func (h *Handler) getPayment(ctx context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Payment], error) {
	t := httpkit.Resource[payment.Transaction](c)
	if c.Publishable {
		// Any visitor can read a publishable key in a page: the amount, the customer and the reason stay with the app.
		return httpkit.Trimmed[Payment](httpkit.OK(PaymentStatus{
			ID: t.ID, Status: string(t.Status), CompletedAt: view.Unix(t.CompletedAt),
		}), nil)
	}
	out := h.RenderPayment(t)
	if t.SendNumber > 0 {
		sends, err := h.store.Payments.Sends(ctx, c.EnvironmentID, t.ID)
		if err != nil {
			return nil, err
		}
		out.Sends = renderSends(sends)
	}
	return httpkit.OK(out), nil
}

type listPaymentsInput struct {
	httpkit.Page
	CustomerID     string `query:"customerId" maxLength:"64"`
	SubscriptionID string `query:"subscriptionId" maxLength:"64"`
	InvoiceID      string `query:"invoiceId" maxLength:"64"`
	Status         string `query:"status" enum:"pending,success,failed,declined,canceled,refunded"`
	Type           string `query:"type" enum:"charge,refund"`
	// A text with one value, not a boolean: only "true" has an index, and false would promise the list of all others.
	RefundOwed       string `query:"refundOwed" enum:"true" doc:"true: only charges with refundOwed, of which a refund failed."`
	ProviderConfigID string `query:"providerConfigId" maxLength:"64" doc:"Only payments that were last sent to this account at a provider."`
	From             int64  `query:"from" minimum:"0" maximum:"253402300799" example:"1763640000" doc:"Only payments whose createdAt is this or later. Unix seconds."`
	To               int64  `query:"to" minimum:"1" maximum:"253402300799" example:"1763726400" doc:"Only payments whose createdAt is before this. Unix seconds."`
}

func (h *Handler) listPayments(
	ctx context.Context, c *httpkit.Call, in *listPaymentsInput,
) (*httpkit.Reply[httpkit.List[Payment]], error) {
	page, err := in.DB(id.Transaction,
		httpkit.Refers("customerId", id.Customer, in.CustomerID),
		httpkit.Refers("subscriptionId", id.Subscription, in.SubscriptionID),
		httpkit.Refers("invoiceId", id.Invoice, in.InvoiceID),
		httpkit.Refers("providerConfigId", id.ProviderConfig, in.ProviderConfigID))
	if err != nil {
		return nil, err
	}
	if err := view.CheckSpan(in.From, in.To); err != nil {
		return nil, err
	}
	rows, more, err := h.store.Payments.Transactions(ctx, c.EnvironmentID, db.TransactionFilter{
		CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID, InvoiceID: in.InvoiceID,
		Status: payment.Status(in.Status), Type: payment.Type(in.Type), RefundOwed: in.RefundOwed == "true",
		ProviderConfigID: in.ProviderConfigID, CreatedFrom: view.Instant(in.From), CreatedTo: view.Instant(in.To),
	}, page)
	return httpkit.ListOf(rows, more, err, h.RenderPayment)
}

type createPaymentInput struct {
	Body PaymentForm
}

// PaymentForm charges a customer, or pays an open invoice. The required fields depend on subscriptionId and invoiceId,
// so createPayment checks them: the schema could only express that as two alternatives, whose refusals name no field.
type PaymentForm struct {
	CustomerID      string `json:"customerId,omitempty" minLength:"1" maxLength:"64" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"Required without subscriptionId or invoiceId."`
	SubscriptionID  string `json:"subscriptionId,omitempty" minLength:"1" maxLength:"64" doc:"Pays the oldest open invoice of this subscription."`
	InvoiceID       string `json:"invoiceId,omitempty" minLength:"1" maxLength:"64" doc:"Pays this open invoice. Of a subscription's it must be the oldest."`
	Amount          *int64 `json:"amount,omitempty" minimum:"1" maximum:"999999999999" example:"1900" doc:"The amount in minor units. Optional with subscriptionId or invoiceId; if sent, it must equal the amount due."`
	Currency        string `json:"currency,omitempty" example:"USD" doc:"ISO 4217, uppercase. Optional with subscriptionId or invoiceId."`
	PaymentMethodID string `json:"paymentMethodId,omitempty" minLength:"1" maxLength:"64" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"One of the customer's payment methods. Default: the customer's default, or, with subscriptionId or invoiceId, the one that the subscription names. An invoice is charged with another one for this attempt alone."`
	Description     string `json:"description,omitempty" maxLength:"200" example:"Setup fee" doc:"Shown to the payer. Send no personal data. Not allowed with subscriptionId or invoiceId."`
}

func (h *Handler) createPayment(
	ctx context.Context, c *httpkit.Call, in *createPaymentInput,
) (*httpkit.Reply[Payment], error) {
	f := in.Body
	if f.Currency != "" {
		if _, err := money.ParseCurrency(f.Currency); err != nil {
			return nil, err
		}
	}
	// From here on the two are different things: a command to a subscription, or a creation.
	if f.InvoiceID != "" {
		return h.payInvoice(ctx, c, f)
	}
	if f.SubscriptionID != "" {
		return h.paySubscription(ctx, c, f)
	}
	switch {
	case f.CustomerID == "":
		return nil, missing("customerId", "`customerId` is required without `subscriptionId` or `invoiceId`. "+
			"Send `customerId`, `amount` and `currency`, or `subscriptionId`, or `invoiceId`.")
	case f.Amount == nil:
		return nil, missing("amount", "`amount` is required, in minor units of the currency.")
	case f.Currency == "":
		return nil, missing("currency", "`currency` is required.")
	}
	return h.chargeCustomer(ctx, c, f)
}

func missing(param, detail string) error {
	return fault.InvalidParam(param, "field_missing", "%s", detail)
}

// ExamplePayment returns the payment that the OpenAPI document shows.
func ExamplePayment() Payment {
	return Payment{
		ID: "txn_01jcz6dyqx4w9s1c2k7v5h8m3n", Type: "charge", Status: "pending",
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", Amount: 1900, Currency: "USD",
		CreatedAt: 1763640000,
	}
}

// paymentOperations registers the operations on payments. Automatic refunds follow from a capture that does not count,
// and are decided by the rules (ADR 12, ADR 22).
func (h *Handler) paymentOperations() {
	example := ExamplePayment()
	amount := int64(1900)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createPayment", Method: http.MethodPost, Path: "/payments", Tag: "Payments",
		Summary: "Charge a customer, or pay an open invoice",
		Description: "Returns 201 with the transaction, normally pending. Prefer: wait=N waits up to N seconds (at " +
			"most 30) for a final status, or for a link that the payer must open (requiresAction). A repeat of the request " +
			"with the same Idempotency-Key never charges twice. A refund that is made at the provider's dashboard is booked here too.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Crowds: true, Waits: true, Response: example,
		Request: PaymentForm{CustomerID: example.CustomerID, Amount: &amount, Currency: "USD"},
	}, h.createPayment)
	refunded := example
	// A refund is a payment of its own: the charge stays success and shows the sum in amountRefunded.
	refunded.Type, refunded.Status, refunded.ChargeID = "refund", "pending", "txn_01jcz6d0000000000000000000"
	load := httpkit.LoadByID(h.kit, id.Transaction, db.ErrTransactionNotFound, h.store.Payments.TransactionWithKey)
	amountBack := RefundForm{Amount: example.Amount}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "refundPayment", Method: http.MethodPost, Path: "/payments/{id}/refund", Tag: "Payments",
		Summary: "Refund a charge",
		Description: "Gives the charge back, or a part of it; several refunds never exceed what was captured. Answers with " +
			"the refund, normally pending. What the charge paid for stays paid. Where it paid an invoice, a credit note takes " +
			"the amount back of the invoice's lines, with their taxes, unless creditNote is false. A refund that fails shows in " +
			"refundOwed of the charge, and leaves its credit note as it is. Prefer: wait=N waits up to N seconds (at most 30) " +
			"for its final status.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Crowds: true, Load: load, Waits: true, Request: amountBack,
		Response: refunded,
	}, h.refundPayment)
	canceled := example
	canceled.Status, canceled.CompletedAt = "canceled", 1763640002
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "cancelPayment", Method: http.MethodPost, Path: "/payments/{id}/cancel", Tag: "Payments",
		Summary: "Cancel a pending charge",
		Description: "A charge that was not sent yet is canceled. One that was is canceled where the provider can; it stays " +
			"pending until the provider confirms, and counts if it was captured before. An attempt to pay a subscription's " +
			"invoice counts as failed, so that its retries go on. Prefer: wait=N waits up to N seconds (at most 30) for its " +
			"final status.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Waits: true, Response: canceled,
	}, h.cancelPayment)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "retryRefund", Method: http.MethodPost, Path: "/payments/{id}/retry-refund", Tag: "Payments",
		Summary: "Retry the failed refunds of a charge",
		Description: "Creates one refund of refundOwed of the charge. Prefer: wait=N waits up to N seconds (at most " +
			"30) for its final status.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Crowds: true, Load: load, Waits: true, Response: refunded,
	}, h.retryRefund)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "creditRefund", Method: http.MethodPost, Path: "/payments/{id}/credit-refund", Tag: "Payments",
		Summary: "Return the failed refunds of a charge as credit",
		Description: "Adds refundOwed of the charge to the customer's credit, which later invoices use. The charge " +
			"must have paid an invoice.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: example,
	}, h.creditRefund)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "resolvePayment", Method: http.MethodPost, Path: "/payments/{id}/resolve", Tag: "Payments",
		Summary: "Resolve a payment that needs review",
		Description: "Ends the review as a person decided after looking at the provider, and does what follows: an invoice " +
			"is paid, an attempt failed, a refund owed. success, canceled and refunded are never overwritten. Refused with 409 " +
			"where the outcome contradicts what is booked.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: example,
		Request: ResolvePaymentForm{Outcome: "failed", Note: "Stripe support: never captured"},
	}, h.resolvePayment)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getPayment", Method: http.MethodGet, Path: "/payments/{id}", Tag: "Payments", Summary: "Get a payment",
		Description: "Also available to publishable keys, from any web page, with id, status and completedAt only.",
		Status:      http.StatusOK, Access: httpkit.Access{Scopes: []string{"read"}, Publishable: true}, Response: example,
		Publicly: PaymentStatus{ID: example.ID, Status: "success", CompletedAt: 1763640002}, Load: load,
	}, h.getPayment)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listPayments", Method: http.MethodGet, Path: "/payments", Tag: "Payments", Summary: "List payments",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[Payment]{Data: []Payment{example}},
	}, h.listPayments)
}
