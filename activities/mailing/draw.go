package mailing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"perennial/billing/customer"
	"perennial/billing/document"
	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/documents/letters"
)

// errGone: what a mail tells of does not exist any more, so that it cannot be written.
var errGone = errors.New("mailing: what the mail tells of is gone")

// errSettled: the mail would ask to pay an invoice that is not open any more.
var errSettled = errors.New("mailing: the invoice is not open")

var zero time.Time

// draw writes the content of a mail, of its event and of the rows that this names.
func (r *run) draw(ctx context.Context, tx *db.Tx, m db.Email) (db.EmailContent, error) {
	d := writing{
		ctx: ctx, tx: tx, env: r.sender.EnvironmentID, publicURL: r.PublicURL, facts: letters.Facts{Kind: m.Kind},
	}
	err := d.parties(m.CustomerID, r.sender)
	if err == nil && m.EventID != "" {
		err = d.event(m.EventID)
	}
	if err == nil {
		err = d.subject(m)
	}
	if err != nil && fault.From(err).Kind == fault.NotFound {
		return db.EmailContent{}, errGone
	}
	if err != nil {
		return db.EmailContent{}, err
	}
	letter, err := letters.Write(d.facts)
	return db.EmailContent{Language: letter.Language, Subject: letter.Subject, Text: letter.Text, HTML: letter.HTML}, err
}

// writing collects the facts of one letter.
type writing struct {
	ctx       context.Context
	tx        *db.Tx
	env       string
	publicURL string
	facts     letters.Facts

	row db.Event // zero: the mail was asked for
}

func (d *writing) parties(customerID string, s db.EmailSender) error {
	payer, err := d.tx.Customers.Get(d.ctx, d.env, customerID)
	if err != nil {
		return err
	}
	environment, err := d.tx.Tenancy.Environment(d.ctx, d.env)
	if err != nil {
		return err
	}
	_, domain, _ := strings.Cut(s.FromEmail, "@")
	d.facts.Customer, d.facts.Locale = payer.Name, payer.Locale
	d.facts.TimeZone = cmp.Or(payer.TimeZone, environment.Settings.TimeZone)
	d.facts.Seller = cmp.Or(environment.Settings.Seller.Name, s.FromName, domain)
	return nil
}

// event reads the event that a mail follows from.
func (d *writing) event(id string) (err error) {
	d.row, err = d.tx.Webhooks.Event(d.ctx, d.env, id)
	d.facts.Date = d.row.OccurredAt
	return err
}

// subject adds what the mail is about.
func (d *writing) subject(m db.Email) error {
	switch m.Kind {
	case email.InvoiceIssued:
		inv, err := d.invoice(m.ObjectID)
		if err != nil {
			return err
		}
		d.facts.Amount, d.facts.Currency = inv.Total, inv.Currency
		if inv.Status == invoice.Open {
			d.facts.Amount, d.facts.Due = inv.AmountDue, inv.DueAt
		}
		return d.link(inv, !d.facts.Due.IsZero())
	case email.CreditNote:
		note, err := d.tx.Invoices.CreditNote(d.ctx, d.env, m.ObjectID)
		if err != nil {
			return err
		}
		shown, err := db.CreditNoteDocument(d.ctx, d.tx.Reader, d.env, note)
		d.facts.Number, d.facts.Of = shown.Number, shown.Of
		d.facts.Amount, d.facts.Currency = note.Total, note.Currency
		return err
	case email.CardWillExpire:
		return d.card(m)
	case email.TrialWillEnd, email.RenewalReminder, email.SubscriptionCanceled:
		return d.subscription(m)
	default:
		return d.payment(m.Kind)
	}
}

func (d *writing) payment(kind email.Kind) error {
	var e struct {
		event.Payment
		ConfirmURL string `json:"confirmUrl"`
		ConfirmBy  int64  `json:"confirmBy"`
	}
	if err := json.Unmarshal(d.row.Data, &e); err != nil {
		return err
	}
	d.facts.Amount, d.facts.Currency = money.Minor(e.Amount), money.Currency(e.Currency)
	if kind == email.ConfirmationNeeded {
		d.facts.Link, d.facts.By = e.ConfirmURL, time.Unix(e.ConfirmBy, 0)
	}
	if e.InvoiceID != "" {
		inv, err := d.invoice(e.InvoiceID)
		if err != nil {
			return err
		}
		if kind.AsksToPay() && inv.Status != invoice.Open {
			return errSettled
		}
		if kind == email.PaymentFailed || kind == email.Receipt {
			if err := d.link(inv, kind == email.PaymentFailed); err != nil {
				return err
			}
		}
	}
	if kind != email.PaymentFailed || e.SubscriptionID == "" {
		return nil
	}
	sub, err := d.tx.Subscriptions.Get(d.ctx, d.env, e.SubscriptionID)
	if err == nil && sub.NextAction == subscription.ActionPaymentRetry && sub.CollectingInvoiceID == e.InvoiceID {
		d.facts.Next = sub.NextActionAt
	}
	return err
}

func (d *writing) subscription(m db.Email) error {
	sub, err := d.tx.Subscriptions.Get(d.ctx, d.env, m.ObjectID)
	if err != nil {
		return err
	}
	var e struct {
		PlanID            string `json:"planId"`
		CancelAtPeriodEnd bool   `json:"cancelAtPeriodEnd"`
		Amount            int64  `json:"amount"`
		Currency          string `json:"currency"`
		RenewsAt          int64  `json:"renewsAt"`
		TrialEndsAt       int64  `json:"trialEndsAt"`
	}
	if err := json.Unmarshal(d.row.Data, &e); err != nil {
		return err
	}
	sold, err := d.tx.Catalog.Plan(d.ctx, d.env, cmp.Or(e.PlanID, sub.PlanID))
	d.facts.Plan, d.facts.Ends = sold.Name, e.CancelAtPeriodEnd
	d.facts.Amount, d.facts.Currency = money.Minor(e.Amount), money.Currency(e.Currency)
	if at := cmp.Or(e.RenewsAt, e.TrialEndsAt); at != 0 {
		d.facts.Date = time.Unix(at, 0)
	}
	return err
}

// card says which card expires. One that was removed since is no news.
func (d *writing) card(m db.Email) error {
	methods, err := d.tx.Customers.AllPaymentMethods(d.ctx, d.env, m.CustomerID)
	if err != nil {
		return err
	}
	for _, method := range methods {
		if method.ID == m.ObjectID {
			d.facts.Card, d.facts.Expiry = cardName(method.Card), m.Occurrence
			return nil
		}
	}
	return db.ErrPaymentMethodNotFound
}

// cardName names a card as its owner knows it.
func cardName(c customer.Card) string {
	name := strings.TrimSpace(c.Brand + " " + c.LastFour)
	return cmp.Or(name, "****")
}

// link adds that to the page of an invoice, on which it is paid. One that was taken back has none.
func (d *writing) link(inv invoice.Invoice, pay bool) error {
	page, err := d.tx.Invoices.Hosted(d.ctx, d.env, inv.ID)
	if errors.Is(err, db.ErrInvoiceNotFound) || d.publicURL == "" {
		return nil
	}
	d.facts.Pay = pay
	d.facts.Link = contract.LinkKey(page.LinkKey).Link(d.publicURL, contract.HostedInvoice{
		EnvironmentID: d.env, InvoiceID: inv.ID, Revision: inv.LinkRevision,
	})
	return err
}

func (d *writing) invoice(id string) (invoice.Invoice, error) {
	inv, err := d.tx.Invoices.Get(d.ctx, d.env, id)
	d.facts.Number = document.OfInvoice(inv).Number
	return inv, err
}
