package stripe

import (
	"context"
	"net/http"
	"net/url"

	"perennial/providers"
)

// storedMethod is Stripe's payment method, as far as its removal depends on it.
type storedMethod struct {
	Object   string  `json:"object"`
	Customer *string `json:"customer"`
}

// RemoveMethod detaches the payment method from its customer, after which Stripe charges it no more. Stripe refuses to
// detach one that has no customer, with a sentence and no code: only a look at it tells that it is detached.
func (s *Stripe) RemoveMethod(ctx context.Context, m providers.Method) providers.Removal {
	path := "/v1/payment_methods/" + url.PathEscape(m.PaymentMethodToken)
	x := s.post(ctx, path+"/detach", url.Values{}, "")
	if x.status == http.StatusBadRequest && x.failure() != nil {
		x = s.get(ctx, path, nil)
	}
	if gone(x) {
		return providers.Removal{Removed: true, HTTPStatus: x.status}
	}
	res, err := s.refused(x, reading)
	out := providers.Removal{HTTPStatus: x.status, Reason: res.FailureReason, RetryAfter: res.RetryAfter}
	if err != nil {
		out.Reason = err.Error()
	}
	if out.Reason == "" {
		out.Reason = "Stripe still has the payment method at a customer."
	}
	out.Reason = m.Without(out.Reason)
	return out
}

// gone reports whether an answer proves that no customer has the payment method.
func gone(x exchange) bool {
	if m, ok := object(x, func(m *storedMethod) string { return m.Object }, "payment_method"); ok {
		return m.Customer == nil
	}
	api := x.failure()
	return x.status == http.StatusNotFound && api != nil && api.Code == "resource_missing"
}
