package story

import (
	"context"
	"net/http"
	"net/url"
)

// subscribes makes a plan and a customer and subscribes the one to the other, without the header that waits: the
// payment is not decided before the payer is. name tells the stories of one run apart.
func (p *player) subscribes(ctx context.Context, name string, planForm, customerForm object) error {
	var plan, payer struct {
		ID string `json:"id"`
	}
	if err := p.client.change(ctx, http.MethodPost, "/api/plans", planForm, &plan); err != nil {
		return err
	}
	if err := p.client.change(ctx, http.MethodPost, "/api/customers", customerForm, &payer); err != nil {
		return err
	}
	var sub subscription
	in := object{"customerId": payer.ID, "planId": plan.ID}
	err := p.client.send(ctx, http.MethodPost, p.client.api+"/api/subscriptions",
		http.Header{"Idempotency-Key": {"story-" + p.client.run + "-" + name}}, in, &sub)
	p.customer, p.subscription = payer.ID, sub.ID
	return err
}

// latest reads the latest payment of the subscription, as a P, and the status of its latest invoice; nil: there is no
// payment or no invoice yet.
func latest[P any](ctx context.Context, p *player) (last *P, invoiceStatus string, err error) {
	of := "?limit=1&subscriptionId=" + url.QueryEscape(p.subscription)
	var payments page[P]
	if err := p.client.get(ctx, "/api/payments"+of, &payments); err != nil || len(payments.Data) == 0 {
		return nil, "", err
	}
	var invoices page[invoice]
	if err := p.client.get(ctx, "/api/invoices"+of, &invoices); err != nil || len(invoices.Data) == 0 {
		return nil, "", err
	}
	return &payments.Data[0], invoices.Data[0].Status, nil
}
