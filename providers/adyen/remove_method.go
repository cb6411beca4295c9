package adyen

import (
	"context"
	"net/http"
	"net/url"

	"perennial/providers"
)

// RemoveMethod deletes the token of a stored card: DELETE /storedPaymentMethods/{id}. It has no idempotency key, since
// a second deletion finds nothing.
func (a *Adyen) RemoveMethod(ctx context.Context, m providers.Method) providers.Removal {
	query := url.Values{"merchantAccount": {a.merchantAccount}, "shopperReference": {m.CustomerToken}}
	x := a.exchange(ctx, http.MethodDelete,
		"/storedPaymentMethods/"+url.PathEscape(m.PaymentMethodToken)+"?"+query.Encode(), nil, "")
	if x.err == nil && (x.status == http.StatusNoContent || absent(x)) {
		return providers.Removal{Removed: true, HTTPStatus: x.status}
	}
	res := a.refused(x, false)
	return providers.Removal{HTTPStatus: x.status, Reason: m.Without(res.FailureReason), RetryAfter: res.RetryAfter}
}

// absent reports whether Adyen says that the shopper has no such card, or that there is no such shopper. A wrong path
// is a 404 too, but has no error object.
func absent(x exchange) bool {
	api := x.failure()
	return api != nil && (x.status == http.StatusNotFound || x.status == http.StatusUnprocessableEntity) &&
		(api.ErrorCode == errorNoContract || api.ErrorCode == errorNoDetail)
}

// The codes of Adyen's error list for what is not stored.
const (
	errorNoContract = "800" // Contract not found
	errorNoDetail   = "803" // PaymentDetail not found
)
