package adyen

import (
	"context"
	"net/http"

	"perennial/providers"
)

// authenticationRequired is Adyen's code of a payment that the bank refuses because the payer must authenticate:
// "Authentication required" among the refusal reasons of Adyen's documentation.
const authenticationRequired = "38"

// wantsPayer reports whether only its payer can bring the payment further.
func (p payment) wantsPayer() bool {
	return p.ResultCode == "Refused" && p.RefusalReasonCode == authenticationRequired
}

// payersPage returns the page where the payer can confirm the payment; empty: there is none. A payment without a
// reference could not be distinguished from the one that was refused before it. A page that requires a posted form does
// not count: our link leads by GET, as CheckoutService-v71 shows it for 3-D Secure (example card-3d-secure-redirect).
func (p payment) payersPage() string {
	if p.ResultCode != "RedirectShopper" || p.Action == nil || p.PSPReference == "" {
		return ""
	}
	if a := *p.Action; a.Type == "redirect" && (a.Method == http.MethodGet || a.Method == "") {
		return a.URL
	}
	return ""
}

// unseenBrowser describes a browser in place of the one in which the payer will open the page: Adyen requires one, and
// the payer is not there yet. Adyen's page gets the real one.
var unseenBrowser = browserInfo{
	AcceptHeader: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", ColorDepth: 24, Language: "en",
	ScreenHeight: 1080, ScreenWidth: 1920, UserAgent: "Mozilla/5.0 (compatible)",
}

// askPayer pays again, as with a payer who is there and authenticates on a page: a payment of its own, which Adyen
// authorises only once that is completed. refused is the answer to the first one. Each has a reference of its own, so
// that the webhook about the first refusal is not taken for one about the question.
func (a *Adyen) askPayer(
	ctx context.Context, in providers.ChargeRequest, request paymentRequest, refused providers.Result,
) (providers.Result, error) {
	request.Reference = newReference(in.TransactionID, opCharge, in.Key).String()
	request.RecurringProcessingModel, request.Channel = "CardOnFile", "Web"
	request.AuthenticationData = &authenticationData{
		AttemptAuthentication: "always", ThreeDSRequestData: threeDSRequestData{NativeThreeDS: "disabled"},
	}
	request.BrowserInfo = &unseenBrowser
	x := a.post(ctx, "/payments", request, derivedKey("question", in.Key))
	p, ok := x.payment()
	if !ok {
		return unasked(a.refused(x, true), refused), nil
	}
	if err := sameRequest(request, p); err != nil {
		return providers.Result{}, err
	}
	return a.settled(ctx, in.TransactionID, in.Key, p, a.paymentResult(x, p), true), nil
}

// unasked returns what a second request without a payment in its answer proves. If Adyen does not take it, the refusal
// of the first payment stands. If it did not get there, it is repeated together with the first.
func unasked(res, refused providers.Result) providers.Result {
	switch res.Outcome {
	case providers.Failed, providers.Declined:
		return refused
	case providers.NotSent:
		res.Outcome = providers.Unknown
	default: // unknown
	}
	return res
}
