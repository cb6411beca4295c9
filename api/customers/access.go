package customers

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/access"
	"perennial/billing/entitlement"
)

// Access is the answer whether a customer may use the product.
type Access struct {
	CustomerID string `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	AccessOf
	Feature       *AccessTo  `json:"feature,omitempty" doc:"Of a request with feature: what the customer has of it. allowed, reason and until are then about it."`
	Subscriptions []AccessOf `json:"subscriptions" doc:"Each subscription that has not ended, and the newest that has, and whether it lets the customer in at all; newest first, at most 101."`
}

// AccessTo is a customer's access to one feature.
type AccessTo struct {
	Key      string          `json:"key" example:"projects" doc:"The feature that the request asks about."`
	Limit    *int64          `json:"limit,omitempty" example:"30" doc:"How much of it the customer may use: the sum of what all plans and add-ons give. Absent: there is no limit, or it is not allowed."`
	Used     view.Number     `json:"used,omitempty" example:"12" doc:"How much of it was used since the present period began, by the metric of the plan. Absent: the plan names no metric, and the app counts."`
	ResetsAt int64           `json:"resetsAt,omitempty" example:"1766232000" doc:"When used begins again from 0, in Unix seconds; of several subscriptions the first time. Absent: it does not."`
	Sources  []FeatureSource `json:"sources" doc:"The plans and add-ons that give it, newest subscription first, or what the customer has in place of them. A publishable key is shown none."`
}

// FeatureSource is a plan or an add-on of a subscription that gives a feature.
type FeatureSource struct {
	SubscriptionID string `json:"subscriptionId,omitempty" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"Absent: it is given to the customer, whatever the subscription."`
	PlanID         string `json:"planId,omitempty" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The plan or the add-on. Absent: one of the customer's own features takes their place."`
	Limit          *int64 `json:"limit,omitempty" example:"10" doc:"How much of it this gives. Absent: it has no limit."`
	SoftLimit      bool   `json:"softLimit,omitempty" doc:"true: the feature may be used beyond the limit."`
}

func renderAccessTo(a entitlement.Answer) *AccessTo {
	out := AccessTo{
		Key: a.Feature, Limit: a.Limit, ResetsAt: view.Unix(a.ResetsAt), Sources: make([]FeatureSource, len(a.Sources)),
	}
	if a.Used.IsGiven() {
		out.Used = view.Number(a.Used.String())
	}
	for i, s := range a.Sources {
		out.Sources[i] = FeatureSource(s)
	}
	return &out
}

// AccessOf is the access by one subscription.
type AccessOf struct {
	Allowed        bool   `json:"allowed" doc:"Whether the customer may use the product now."`
	Reason         string `json:"reason" enum:"paid,trial,payment_pending,payment_retrying,customer_overdue,past_due,first_payment_pending,paused,canceled,no_subscription,feature_not_included,feature_limit_reached" example:"paid" doc:"Why. payment_pending: a payment is under way. payment_retrying: a payment failed, and is tried again. customer_overdue: a subscription would allow it, but the overdue policy denies it until the customer owes less. feature_not_included: the customer may use the product, and not this feature. feature_limit_reached: what they may use of it is used."`
	Until          int64  `json:"until,omitempty" example:"1766232000" doc:"When the answer may change by itself at the earliest, in Unix seconds. Ask again then. Absent: not by itself."`
	SubscriptionID string `json:"subscriptionId,omitempty" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	PlanID         string `json:"planId,omitempty" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The plan that is paid for. Until the invoice of a change of plan is paid, this is the plan before it."`
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
	Feature string `query:"feature" maxLength:"64" example:"projects" doc:"The key of a feature: answers whether the customer may use it, and how much of it."`
}

func (h *Handler) customerAccess(
	ctx context.Context, c *httpkit.Call, in *customerAccessInput,
) (*httpkit.Reply[Access], error) {
	who := httpkit.Resource[credited](c).Customer
	found, err := h.service.Access(ctx, usecase.Caller(c), who, in.Feature)
	if err != nil {
		return nil, err
	}
	out := Access{CustomerID: who.ID, AccessOf: renderAccess(found.Answer), Subscriptions: []AccessOf{}}
	if found.Feature != nil {
		out.Feature = renderAccessTo(*found.Feature)
	}
	if c.Publishable { // an app in the browser gets the answer, not its sources
		out.SubscriptionID, out.PlanID = "", ""
		if out.Feature != nil {
			out.Feature.Sources = []FeatureSource{}
		}
		return httpkit.OKTagged(in.Tagged, out), nil
	}
	for _, one := range found.Subscriptions {
		out.Subscriptions = append(out.Subscriptions, renderAccess(one))
	}
	return httpkit.OKTagged(in.Tagged, out), nil
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
			"that is not made yet does not, and neither does a subscription that is paused or was canceled at once. A change of plan, " +
			"quantity or add-ons counts once its invoice is paid: until then the customer has what was paid for before. Nothing does while the " +
			"overdue policy denies the customer access. With feature, the " +
			"answer is about that feature of the plans and add-ons of all subscriptions that allow it; limits add up. Send the ETag " +
			"as If-None-Match to ask often.",
		Status: http.StatusOK, Tagged: true, Load: load,
		Access:   httpkit.Access{Scopes: []string{"read", "access"}, Publishable: true, PublishableScope: "access"},
		Response: Access{CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", AccessOf: paid, Subscriptions: []AccessOf{paid}},
	}, h.customerAccess)
}
