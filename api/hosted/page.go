package hosted

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"perennial/billing/document"
	"perennial/billing/hosted"
	"perennial/documents"
	"perennial/documents/drawing"
	pages "perennial/documents/hosted"
	service "perennial/service/hosted"
)

func (h *Handler) page(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	token := mux.Vars(r)["token"]
	found, err := h.service.Page(ctx, token)
	if err != nil {
		return showNone(w, r, err)
	}
	return h.show(w, http.StatusOK, found, pages.Page{Token: token})
}

// html shows the whole invoice, as its buyer reads it.
func (h *Handler) html(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	return h.whole(ctx, w, r, htmlType, func(of drawing.Owner, d document.Document) ([]byte, error) {
		return h.drawer.Draw(ctx, of, d, document.Page)
	})
}

// pdf is html on paper. Where too many wait for theirs, it is html after all.
func (h *Handler) pdf(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	select {
	case h.waiting <- struct{}{}:
		defer func() { <-h.waiting }()
	default:
		w.Header().Set("Location", "html")
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	return h.whole(ctx, w, r, "application/pdf", func(of drawing.Owner, d document.Document) ([]byte, error) {
		select {
		case h.drawing <- struct{}{}:
			defer func() { <-h.drawing }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		w.Header().Set("Content-Disposition", `inline; filename="`+documents.FileName(d)+`.pdf"`)
		return h.drawer.Draw(ctx, of, d, document.Paper)
	})
}

func (h *Handler) whole(
	ctx context.Context, w http.ResponseWriter, r *http.Request, media string,
	draw func(of drawing.Owner, d document.Document) ([]byte, error),
) error {
	found, err := h.service.Page(ctx, mux.Vars(r)["token"])
	if err == nil && found.State == hosted.Expired {
		err = service.ErrUnknownLink
	}
	if err != nil {
		return showNone(w, r, err)
	}
	of := drawing.Owner{EnvironmentID: found.EnvironmentID, CustomerID: found.Invoice.CustomerID, TimeZone: found.TimeZone}
	body, err := draw(of, document.OfInvoice(found.Invoice))
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, media, body)
}

// show writes the page of an invoice. given has what the request brought.
func (h *Handler) show(w http.ResponseWriter, status int, found service.Page, given pages.Page) error {
	given.Document, given.State, given.Declined = document.OfInvoice(found.Invoice), found.State, found.Declined()
	given.TimeZone, given.Methods, given.Wallets = found.TimeZone, found.Methods, found.Wallets
	if found.State == hosted.Confirm {
		given.ConfirmURL = h.payments.ConfirmLink(found.Attempts[0])
	}
	var page bytes.Buffer
	if err := pages.Write(&page, given); err != nil {
		return err
	}
	return write(w, status, htmlType, page.Bytes())
}

// showNone shows that a link opens nothing, in the language of the browser.
func showNone(w http.ResponseWriter, r *http.Request, err error) error {
	if !errors.Is(err, service.ErrUnknownLink) {
		return err
	}
	language, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	language, _, _ = strings.Cut(language, ";")
	var page bytes.Buffer
	if err := pages.WriteUnknown(&page, strings.TrimSpace(language)); err != nil {
		return err
	}
	return write(w, http.StatusNotFound, htmlType, page.Bytes())
}

const htmlType = "text/html; charset=utf-8"

// policy lets a page have its own styles and pictures and send its own forms, and nothing else: no script, no request,
// no frame around it.
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// write keeps the link out of other sites, frames and search engines; answers of the API are never cached anyway.
func write(w http.ResponseWriter, status int, media string, body []byte) error {
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}
