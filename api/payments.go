package api

import (
	"context"
	"encoding/json"
	"net/http"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
)

// Payment is one attempt to move money: a charge, or a refund of one.
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
	AttemptNumber    int             `json:"attemptNumber,omitempty" doc:"Which attempt of its invoice it is, from 1."`
	Provider         string          `json:"provider,omitempty" example:"stripe"`
	ProviderRef      string          `json:"providerReference,omitempty" example:"pi_3MtwBwLkdIwHu7ix28a3tqPa" doc:"The provider's own id."`
	FailureReason    string          `json:"failureReason,omitempty" example:"Your card has insufficient funds."`
	FailureCode      string          `json:"failureCode,omitempty" enum:"INSUFFICIENT_FUNDS,INVALID_ACCOUNT,DECLINED,DAILY_LIMIT,ACCOUNT_BLOCKED"`
	ProviderResponse json.RawMessage `json:"providerResponse,omitempty" doc:"What the provider said, without secrets."`
	AmountRefunded   int64           `json:"amountRefunded" doc:"How much of a charge was given back."`
	ChargeID         string          `json:"chargeId,omitempty" doc:"The charge that a refund gives back."`
	RecoveredFrom    string          `json:"recoveredFrom,omitempty" doc:"The canceled charge whose capture turned up after all."`
	CreatedAt        int64           `json:"createdAt" example:"1763640000"`
	CompletedAt      int64           `json:"completedAt,omitempty" doc:"When it reached a final status."`
}

func renderPayment(t payment.Transaction) Payment {
	return Payment{
		ID: t.ID, Type: string(t.Type), Status: string(t.Status), CustomerID: t.CustomerID, SubscriptionID: t.SubscriptionID,
		InvoiceID: t.InvoiceID, Amount: int64(t.Amount), Currency: string(t.Currency), Description: t.Description,
		AttemptNumber: t.AttemptNumber, Provider: t.Provider, ProviderRef: t.ProviderRef, FailureReason: t.FailureReason,
		FailureCode: t.FailureCode, ProviderResponse: json.RawMessage(t.ProviderResponse), AmountRefunded: int64(t.AmountRefunded),
		ChargeID: t.ChargeID, RecoveredFrom: t.RecoveredFrom, CreatedAt: unix(t.CreatedAt), CompletedAt: unix(t.CompletedAt),
	}
}

// PaymentStatus is as much of a payment as a publishable key may see: what a checkout page needs to go on.
type PaymentStatus struct {
	ID          string `json:"id" example:"txn_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Status      string `json:"status" enum:"pending,success,failed,declined,canceled,refunded" example:"success"`
	CompletedAt int64  `json:"completedAt,omitempty"`
}

func (s *Server) getPayment(_ context.Context, c *call, _ *ByID) (*reply[Payment], error) {
	t := resource[payment.Transaction](c)
	if c.key.Kind == string(apikey.Publishable) {
		return trimmed[Payment](ok(PaymentStatus{ID: t.ID, Status: string(t.Status), CompletedAt: unix(t.CompletedAt)}), nil)
	}
	return ok(renderPayment(t)), nil
}

type listPaymentsInput struct {
	Page
	CustomerID     string `query:"customerId" maxLength:"64"`
	SubscriptionID string `query:"subscriptionId" maxLength:"64"`
	InvoiceID      string `query:"invoiceId" maxLength:"64"`
	Status         string `query:"status" enum:"pending,success,failed,declined,canceled,refunded"`
	Type           string `query:"type" enum:"charge,refund"`
}

func (s *Server) listPayments(ctx context.Context, c *call, in *listPaymentsInput) (*reply[List[Payment]], error) {
	page, err := in.db(id.Transaction,
		refers("customerId", id.Customer, in.CustomerID), refers("subscriptionId", id.Subscription, in.SubscriptionID), refers("invoiceId", id.Invoice, in.InvoiceID))
	if err != nil {
		return nil, err
	}
	rows, more, err := s.store.Transactions(ctx, c.environmentID, db.TransactionFilter{
		CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID, InvoiceID: in.InvoiceID, Status: payment.Status(in.Status), Type: payment.Type(in.Type),
	}, page)
	return list(rows, more, err, renderPayment)
}

type createPaymentInput struct {
	Body PaymentForm
}

// PaymentForm charges a customer, or pays the open invoice of a subscription.
type PaymentForm struct {
	CustomerID     string `json:"customerId,omitempty" maxLength:"64" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"Needed without subscriptionId."`
	SubscriptionID string `json:"subscriptionId,omitempty" maxLength:"64" doc:"Pays the oldest open invoice of this subscription."`
	Amount         *int64 `json:"amount,omitempty" minimum:"1" maximum:"999999999999" example:"1900" doc:"Minor units. With subscriptionId it may be left out, and otherwise must be exactly what is due."`
	Currency       string `json:"currency,omitempty" example:"USD" doc:"ISO 4217, upper case. With subscriptionId it may be left out."`
	Description    string `json:"description,omitempty" maxLength:"200" example:"Setup fee" doc:"Shown to the payer; nothing personal, please. Not with subscriptionId."`
}

func (s *Server) createPayment(ctx context.Context, c *call, in *createPaymentInput) (*reply[Payment], error) {
	f := in.Body
	if f.Currency != "" {
		if _, err := money.ParseCurrency(f.Currency); err != nil {
			return nil, err
		}
	}
	if f.SubscriptionID != "" {
		return s.paySubscription(ctx, c, f)
	}
	switch {
	case f.CustomerID == "":
		return nil, missing("customerId", "send customerId, amount and currency, or subscriptionId")
	case f.Amount == nil:
		return nil, missing("amount", "amount is required, in minor units of the currency")
	case f.Currency == "":
		return nil, missing("currency", "currency is required")
	}
	return s.chargeCustomer(ctx, c, f)
}

func missing(param, detail string) error {
	return fault.InvalidParam(param, "field_missing", "%s", detail)
}

func (s *Server) paymentOperations() {
	example := Payment{
		ID: "txn_01jcz6dyqx4w9s1c2k7v5h8m3n", Type: "charge", Status: "pending", CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n",
		Amount: 1900, Currency: "USD", Provider: "stripe", CreatedAt: 1763640000,
	}
	amount := int64(1900)
	register(s, operation{
		name: "createPayment", method: http.MethodPost, path: "/payments", tag: "Payments", summary: "Charge a customer, or pay a subscription's open invoice",
		description: "Answers 201 with the transaction, normally pending; Prefer: wait=N waits up to N seconds (at most 30) for a final status. Repeating the request with the same Idempotency-Key never charges twice.",
		status:      http.StatusCreated, access: writeAccess, waits: true, response: example,
		request: PaymentForm{CustomerID: example.CustomerID, Amount: &amount, Currency: "USD"},
	}, s.createPayment)
	register(s, operation{
		name: "getPayment", method: http.MethodGet, path: "/payments/{id}", tag: "Payments", summary: "Get a payment",
		description: "A publishable key may call this too, from any web page, and sees id, status and completedAt only.",
		status:      http.StatusOK, access: access{scope: "read", publishable: true}, response: example,
		publicly: PaymentStatus{ID: example.ID, Status: "success", CompletedAt: 1763640002},
		load:     byID(s, id.Transaction, "transaction_not_found", s.store.TransactionWithKey),
	}, s.getPayment)
	register(s, operation{
		name: "listPayments", method: http.MethodGet, path: "/payments", tag: "Payments", summary: "List payments",
		status: http.StatusOK, access: readAccess, response: List[Payment]{Data: []Payment{example}},
	}, s.listPayments)
}
