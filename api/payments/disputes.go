package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

// Dispute is a payer's objection to a charge at the payer's bank.
type Dispute struct {
	ID              string `json:"id" example:"dsp_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	ChargeID        string `json:"chargeId" example:"txn_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The disputed payment."`
	CustomerID      string `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	SubscriptionID  string `json:"subscriptionId,omitempty" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	InvoiceID       string `json:"invoiceId,omitempty"`
	Provider        string `json:"provider" example:"stripe"`
	Reference       string `json:"reference" example:"du_1MtJUT2eZvKYlo2CNaw2HvEv" doc:"The provider's own id."`
	Stage           string `json:"stage,omitempty" enum:"inquiry,chargeback,arbitration" example:"chargeback" doc:"inquiry: the bank asks, and it may become a chargeback. arbitration: the bank insists after the merchant objected."`
	Status          string `json:"status" enum:"open,under_review,won,lost" example:"open" doc:"open: it can be answered at the provider. under_review: it was answered, and the bank decides."`
	Reason          string `json:"reason,omitempty" example:"fraudulent" doc:"The payer's reason, as the provider's code. Absent: unknown."`
	Amount          int64  `json:"amount" example:"1900" doc:"Minor units of the currency of the dispute."`
	Currency        string `json:"currency" example:"USD"`
	AmountWithdrawn int64  `json:"amountWithdrawn" example:"1900" doc:"What the bank holds of it now, or has taken for good."`
	EvidenceDueAt   int64  `json:"evidenceDueAt,omitempty" example:"1764244800" doc:"Until when the dispute can be answered at the provider. Absent: unknown."`
	OpenedAt        int64  `json:"openedAt" example:"1763640000" doc:"The time when the dispute became known."`
	ClosedAt        int64  `json:"closedAt,omitempty" doc:"The time when its end became known."`
}

func renderDispute(d db.Dispute) Dispute {
	t := d.Charge
	return Dispute{
		ID: d.ID, ChargeID: t.ID, CustomerID: t.CustomerID, SubscriptionID: t.SubscriptionID, InvoiceID: t.InvoiceID,
		Provider: t.Provider, Reference: d.Ref, Stage: string(d.Stage), Status: string(d.State), Reason: d.Reason,
		Amount: int64(d.Amount), Currency: string(d.Currency), AmountWithdrawn: int64(d.Withdrawn),
		EvidenceDueAt: view.Unix(d.EvidenceDueAt), OpenedAt: view.Unix(d.OpenedAt), ClosedAt: view.Unix(d.ClosedAt),
	}
}

// renderDisputes renders the disputes of a charge.
func renderDisputes(t payment.Transaction) (out []Dispute) {
	for _, d := range t.Disputes {
		out = append(out, renderDispute(db.Dispute{Dispute: d, Charge: t}))
	}
	return out
}

func (h *Handler) getDispute(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Dispute], error) {
	return httpkit.OK(renderDispute(httpkit.Resource[db.Dispute](c))), nil
}

type listDisputesInput struct {
	httpkit.Page
	CustomerID string `query:"customerId" maxLength:"64"`
	ChargeID   string `query:"chargeId" maxLength:"64"`
	Status     string `query:"status" enum:"open,under_review,won,lost"`
	From       int64  `query:"from" minimum:"0" maximum:"253402300799" example:"1763640000" doc:"Only disputes whose openedAt is this or later. Unix seconds."`
	To         int64  `query:"to" minimum:"1" maximum:"253402300799" example:"1763726400" doc:"Only disputes whose openedAt is before this. Unix seconds."`
}

func (h *Handler) listDisputes(
	ctx context.Context, c *httpkit.Call, in *listDisputesInput,
) (*httpkit.Reply[httpkit.List[Dispute]], error) {
	page, err := in.DB(id.Dispute,
		httpkit.Refers("customerId", id.Customer, in.CustomerID),
		httpkit.Refers("chargeId", id.Transaction, in.ChargeID))
	if err != nil {
		return nil, err
	}
	if err := view.CheckSpan(in.From, in.To); err != nil {
		return nil, err
	}
	rows, more, err := h.store.Payments.Disputes(ctx, c.EnvironmentID, db.DisputeFilter{
		CustomerID: in.CustomerID, ChargeID: in.ChargeID, Status: answer.DisputeState(in.Status),
		OpenedFrom: view.Instant(in.From), OpenedTo: view.Instant(in.To),
	}, page)
	return httpkit.ListOf(rows, more, err, renderDispute)
}

func (h *Handler) disputeOperations() {
	example := Dispute{
		ID: "dsp_01jcz6dyqx4w9s1c2k7v5h8m3n", ChargeID: "txn_01jcz6dyqx4w9s1c2k7v5h8m3n",
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", Provider: "stripe", Reference: "du_1MtJUT2eZvKYlo2CNaw2HvEv",
		Stage: "chargeback", Status: "open", Reason: "fraudulent", Amount: 1900, Currency: "USD", AmountWithdrawn: 1900,
		EvidenceDueAt: 1764244800, OpenedAt: 1763640000,
	}
	load := httpkit.LoadByID(h.kit, id.Dispute, db.ErrDisputeNotFound, h.store.Payments.DisputeWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getDispute", Method: http.MethodGet, Path: "/disputes/{id}", Tag: "Disputes", Summary: "Get a dispute",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getDispute)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listDisputes", Method: http.MethodGet, Path: "/disputes", Tag: "Disputes", Summary: "List disputes",
		Description: "Disputes become known from the payment providers. Answer them at the provider's dashboard, before " +
			"evidenceDueAt.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[Dispute]{Data: []Dispute{example}},
	}, h.listDisputes)
}
