package payments

import (
	"context"
	_ "embed"
	"errors"
	"html/template"
	"net/http"

	"github.com/gorilla/mux"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
)

//go:embed confirm.html
var confirmSource string

var confirmTemplate = template.Must(template.New("confirm").Parse(confirmSource))

// confirmPage is a page for a payer. It names neither payer nor amount: the visitor need not be the payer.
type confirmPage struct{ Title, Text string }

var confirmPages = map[payment.Confirmation]confirmPage{
	// The payer may have confirmed or refused: the browser's parameters prove neither.
	payment.ConfirmAsked: {
		"Checking the payment",
		"We are checking whether the payment was confirmed. Reload this page in a few seconds to see the " +
			"result. If you did not confirm it, nothing is charged.",
	},
	payment.ConfirmMissing: {
		"Payment not confirmed", "Your bank has not confirmed the payment here. Reload this page in a few seconds, or open " +
			"the payment link again.",
	},
	payment.ConfirmDecided: {"Thank you", "We wait for your bank. Reload this page to see the result."},
	payment.ConfirmPaid:    {"Payment received", "Thank you. There is nothing more to do."},
	payment.ConfirmExpired: {"This link has expired", "Nothing was charged. You will hear from the seller."},
	payment.ConfirmFailed:  {"Payment failed", "Nothing was charged. You will hear from the seller."},
	payment.ConfirmEnded:   {"Payment canceled", "The seller does not ask for this payment any more."},
}

// unknownLink is the page of an unknown token, malformed or not.
var unknownLink = confirmPage{"This link does not exist", "Check that you opened the whole link."}

// confirm sends a payer to the provider's page, or shows how the payment ended. It asks for the token only, which opens
// nothing else.
func (h *Handler) confirm(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	_, txn, err := h.store.Payments.TransactionByConfirmToken(ctx, mux.Vars(r)["token"])
	if err == nil && txn.Confirmation(h.now()) == payment.ConfirmNow {
		forPayer(w)
		w.Header().Set("Location", txn.Action.URL)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	return h.showPayer(w, txn.Confirmation(h.now()), err)
}

// confirmed serves the page to which a provider sends the payer back. The outcome in its address proves nothing, since
// any visitor can write it. Parameters that the provider needs to complete the charge are kept, and never shown.
func (h *Handler) confirmed(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	_, confirmation, err := h.service.PayerReturned(ctx, mux.Vars(r)["token"], r.URL.Query())
	return h.showPayer(w, confirmation, err)
}

func (h *Handler) showPayer(w http.ResponseWriter, confirmation payment.Confirmation, err error) error {
	page, status := unknownLink, http.StatusNotFound
	switch {
	case err == nil:
		page, status = confirmPages[confirmation], http.StatusOK
	case !errors.Is(err, db.ErrTransactionNotFound):
		return err
	}
	forPayer(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	return confirmTemplate.Execute(w, page)
}

// forPayer keeps the link out of other sites, frames and search engines; answers of the API are never cached anyway.
func forPayer(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
}

// ConfirmLink returns the link that an app gives to the payer; empty: there is nothing to confirm now.
func (h *Handler) ConfirmLink(t payment.Transaction) string {
	if t.Confirmation(h.now()) != payment.ConfirmNow {
		return ""
	}
	return contract.ConfirmLink(h.publicURL, t.Action.Token)
}
