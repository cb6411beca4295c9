package customers

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/access"
)

// Access says whether a customer may use the product.
type Access struct {
	CustomerID string `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	AccessOf
	Subscriptions []AccessOf `json:"subscriptions" doc:"Each subscription that has not ended, and the newest that has; newest first, at most 101."`
}

// AccessOf is what one subscription says.
type AccessOf struct {
	Allowed        bool   `json:"allowed" doc:"Whether the customer may use the product now."`
	Reason         string `json:"reason" enum:"paid,trial,payment_pending,payment_retrying,past_due,first_payment_pending,paused,canceled,no_subscription" example:"paid" doc:"Why. payment_pending: a payment is under way. payment_retrying: a payment failed, and is tried again."`
	Until          int64  `json:"until,omitempty" example:"1766232000" doc:"When the answer may change by itself at the earliest, in Unix seconds. Ask again then. Absent: not by itself."`
	SubscriptionID string `json:"subscriptionId,omitempty" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	PlanID         string `json:"planId,omitempty" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n"`
}

func renderAccess(a access.Answer) AccessOf {
	return AccessOf{
		Allowed: a.Allowed, Reason: string(a.Reason), Until: view.Unix(a.Until),
		SubscriptionID: a.SubscriptionID, PlanID: a.PlanID,
	}
}

type customerAccessInput struct {
	httpkit.ByID
	httpkit.Tagged
}

func (h *Handler) customerAccess(
	ctx context.Context, c *httpkit.Call, in *customerAccessInput,
) (*httpkit.Reply[Access], error) {
	who := httpkit.Resource[credited](c).Customer
	now := h.now()
	if who.TestClockID != "" {
		clock, err := h.store.Clocks.Get(ctx, c.EnvironmentID, who.TestClockID)
		if err != nil {
			return nil, err
		}
		now = clock.NowAt
	}
	claims, err := h.store.Subscriptions.AccessClaims(ctx, c.EnvironmentID, who.ID)
	if err != nil {
		return nil, err
	}
	all := make([]access.Answer, len(claims))
	shown := make([]AccessOf, len(claims))
	for i, claim := range claims {
		all[i] = access.Of(claim, now)
		shown[i] = renderAccess(all[i])
	}
	return httpkit.OKTagged(in.Tagged, Access{
		CustomerID: who.ID, AccessOf: renderAccess(access.Best(all)), Subscriptions: shown,
	}), nil
}

func (h *Handler) accessOperations(load httpkit.Loader) {
	paid := AccessOf{
		Allowed: true, Reason: string(access.Paid), Until: 1766232000, SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n",
		PlanID: "plan_01jcz6dyqx4w9s1c2k7v5h8m3n",
	}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getCustomerAccess", Method: http.MethodGet, Path: "/customers/{id}/access", Tag: "Customers",
		Summary: "May this customer use the product now?",
		Description: "The answer of the subscription that allows it, or of the one that comes closest. Paid time and trials " +
			"allow it; so does a payment that is under way or tried again, until the subscription is past due. A first payment " +
			"that is not made yet does not, and neither does a subscription that is paused or was canceled at once. Send the ETag as " +
			"If-None-Match to ask often.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Tagged: true, Load: load,
		Response: Access{CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", AccessOf: paid, Subscriptions: []AccessOf{paid}},
	}, h.customerAccess)
}
