package hosted

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/gorilla/mux"

	"perennial/api/httpkit"
	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/hosted"
	"perennial/billing/lifecycle"
	pages "perennial/documents/hosted"
	service "perennial/service/hosted"
)

// most is the number of bytes of a form; a payer's has less than two hundred.
const most = 4 << 10

// pay begins the charge that a payer asks for, and leads back to the page, which shows how it goes. A payer who presses
// the button twice begins one charge: the invoice has one at a time.
func (h *Handler) pay(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	token := mux.Vars(r)["token"]
	r.Body = http.MaxBytesReader(w, r.Body, most)
	if err := r.ParseForm(); err != nil {
		return leadBack(w, token)
	}
	found, err := h.service.Page(ctx, token)
	if err != nil {
		return showNone(w, r, err)
	}
	leave, err := h.gate.Enter(cmp.Or(found.Invoice.SubscriptionID, found.Invoice.CustomerID))
	if err != nil {
		return h.trouble(w, found, pages.Page{Token: token, Trouble: pages.NotNow}, err)
	}
	defer leave()
	choice := service.Choice{
		MethodID: r.PostForm.Get("method"), Phone: phoneOf(r.PostForm.Get("phone")), Wallet: r.PostForm.Get("wallet"),
	}
	if choice.MethodID == "" && choice.Phone == "" {
		return leadBack(w, token)
	}
	wallets, err := h.service.Pay(ctx, found, choice)
	given := pages.Page{Token: token, Phone: choice.Phone, Operators: wallets}
	switch {
	case len(wallets) > 0:
		return h.show(w, http.StatusOK, found, onForm(given))
	case err == nil, errors.Is(err, hosted.ErrNotPayable), errors.Is(err, service.ErrNoMethod),
		errors.Is(err, lifecycle.ErrNotOpen), errors.Is(err, collection.ErrInProgress): // the page says it
		return leadBack(w, token)
	case errors.Is(err, service.ErrNoWallet):
		given.Trouble = pages.NoWallet
	default:
		given.Trouble = pages.NotNow
	}
	return h.trouble(w, found, given, err)
}

// trouble shows the page again, with why the payment did not begin. What only we can explain is a problem, as
// everywhere.
func (h *Handler) trouble(w http.ResponseWriter, found service.Page, given pages.Page, err error) error {
	refused := fault.From(err)
	if refused == nil || refused.Kind == fault.Internal {
		return err
	}
	if refused.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.RetryAfter.Seconds()))))
	}
	return h.show(w, httpkit.StatusOf(err), found, onForm(given))
}

// onForm is for a page that is shown at the address of its form, one step below its own.
func onForm(p pages.Page) pages.Page {
	p.Root = "../"
	return p
}

// leadBack sends the browser to the page, so that reloading it sends no form again.
func leadBack(w http.ResponseWriter, token string) error {
	w.Header().Set("Location", "../"+token)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// phoneOf takes out what people write into numbers for the eye.
func phoneOf(s string) string {
	var out []rune
	for _, r := range s {
		switch r {
		case ' ', '\u00a0', '-', '.', '(', ')', '/':
		default:
			out = append(out, r)
		}
	}
	return string(out)
}
