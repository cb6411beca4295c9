package emails

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/email"
	"perennial/billing/invoice"
	"perennial/db"
	"perennial/internal/id"
)

// Email is one mail to a customer.
type Email struct {
	ID            string         `json:"id" example:"em_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Object        string         `json:"object" enum:"email" example:"email"`
	Kind          Kind           `json:"kind"`
	ObjectID      string         `json:"objectId" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"What it tells of: an invoice, a payment transaction, a subscription, a credit note or a payment method."`
	CustomerID    string         `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	EventID       string         `json:"eventId,omitempty" doc:"The event that it follows from. Absent: it was asked for."`
	Recipient     string         `json:"recipient,omitempty" example:"ada@example.org" doc:"Absent: erased with the customer, as are the content and what the mail server said."`
	Status        string         `json:"status" enum:"pending,sent,failed,suppressed,canceled" example:"sent" doc:"pending: the next attempt is due at nextAttemptAt. sent: the mail server took it. suppressed: the environment does not send to the recipient, or the mail asked to pay an invoice that is not open any more."`
	Reason        string         `json:"reason,omitempty" enum:"recipient_not_allowed,refused,address_malformed,attempts_used,object_gone,invoice_not_open,sender_removed,customer_erased" doc:"Why it was not sent."`
	Language      string         `json:"language,omitempty" example:"en" doc:"The content is absent until the first attempt."`
	Subject       string         `json:"subject,omitempty" example:"Invoice ACME-000042 from Acme"`
	Text          string         `json:"text,omitempty" doc:"Absent in lists."`
	HTML          string         `json:"html,omitempty" doc:"Absent in lists."`
	Attempts      []EmailAttempt `json:"attempts" doc:"The oldest first."`
	NextAttemptAt int64          `json:"nextAttemptAt,omitempty"`
	SentAt        int64          `json:"sentAt,omitempty" example:"1763640003"`
	CreatedAt     int64          `json:"createdAt" example:"1763640002" doc:"Unix seconds, real time."`
}

// EmailAttempt is one attempt to hand a mail over. Of one that was interrupted it is not known whether the server took
// the mail: it is sent again with the same Message-ID, which is id@domain.
type EmailAttempt struct {
	Number    int    `json:"number" example:"1"`
	StartedAt int64  `json:"startedAt" example:"1763640002"`
	Outcome   string `json:"outcome" enum:"sent,failed,unknown,under_way" example:"sent"`
	Class     string `json:"class,omitempty" enum:"address_malformed,forbidden_address,unreachable,tls_failed,login_failed,busy,sender_refused,refused,deferred,timed_out,connection_lost" doc:"Of a failure."`
	Code      int    `json:"code,omitempty" example:"250" doc:"Of the server's reply."`
	Reply     string `json:"reply,omitempty" doc:"The server's words, or ours where it said nothing."`
}

func renderEmail(m db.Email) Email {
	out := Email{
		ID: m.ID, Object: "email", Kind: Kind(m.Kind), ObjectID: m.ObjectID, CustomerID: m.CustomerID, EventID: m.EventID,
		Recipient: m.Recipient, Status: string(m.Status), Reason: string(m.Reason), Language: m.Language, Subject: m.Subject,
		Text: m.Text, HTML: m.HTML, Attempts: make([]EmailAttempt, len(m.Log)), NextAttemptAt: view.Unix(m.NextAttemptAt),
		SentAt: view.Unix(m.SentAt), CreatedAt: view.Unix(m.CreatedAt),
	}
	for i, a := range m.Log {
		out.Attempts[i] = EmailAttempt{
			Number: a.Number, StartedAt: view.Unix(a.StartedAt), Outcome: string(a.Outcome), Class: a.Class, Code: a.Code,
			Reply: a.Text,
		}
		if a.Outcome == "" {
			out.Attempts[i].Outcome = "under_way"
		}
	}
	return out
}

func (h *Handler) getEmail(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Email], error) {
	return httpkit.OK(renderEmail(httpkit.Resource[db.Email](c))), nil
}

type listEmailsInput struct {
	httpkit.Page
	CustomerID string `query:"customerId" maxLength:"64"`
	ObjectID   string `query:"objectId" maxLength:"64" doc:"Only mails about this resource."`
	Kind       Kind   `query:"kind"`
	Status     string `query:"status" enum:"pending,sent,failed,suppressed,canceled"`
}

func (h *Handler) listEmails(
	ctx context.Context, c *httpkit.Call, in *listEmailsInput,
) (*httpkit.Reply[httpkit.List[Email]], error) {
	page, err := in.DB(id.Email, httpkit.Refers("customerId", id.Customer, in.CustomerID))
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Emails.List(ctx, c.EnvironmentID, db.EmailFilter{
		CustomerID: in.CustomerID, ObjectID: in.ObjectID, Kind: email.Kind(in.Kind), Status: email.Status(in.Status),
	}, page)
	return httpkit.ListOf(rows, more, err, renderEmail)
}

// madeEmail leaves the content out of the stored response: it would have to be erased there too.
func madeEmail(m db.Email) httpkit.Made[Email] {
	out := renderEmail(m)
	out.Text, out.HTML = "", ""
	return httpkit.Made[Email]{Resource: out, CustomerID: m.CustomerID}
}

func (h *Handler) resendEmail(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Email], error) {
	emailID := httpkit.Resource[db.Email](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusCreated, madeEmail, func(around usecase.Around[db.Email]) error {
		return h.service.Resend(ctx, usecase.Caller(c), emailID, around)
	})
}

func (h *Handler) sendInvoice(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Email], error) {
	invoiceID := httpkit.Resource[invoice.Invoice](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusCreated, madeEmail, func(around usecase.Around[db.Email]) error {
		return h.service.MailInvoice(ctx, usecase.Caller(c), invoiceID, around)
	})
}

func (h *Handler) emailOperations() {
	const tag = "Emails"
	example := Email{
		ID: "em_01jcz6dyqx4w9s1c2k7v5h8m3n", Object: "email", Kind: "invoice_issued", ObjectID: "in_01jcz6dyqx4w9s1c2k7v5h8m3n",
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", EventID: "evt_01jcz6dyqx4w9s1c2k7v5h8m3n", Recipient: "ada@example.org",
		Status: "sent", Language: "en", Subject: "Invoice ACME-000042 from Acme", SentAt: 1763640003, CreatedAt: 1763640002,
		Attempts: []EmailAttempt{{Number: 1, StartedAt: 1763640002, Outcome: "sent"}},
	}
	whole, again := example, example
	whole.Text = "Hello Ada,\n\nYour invoice ACME-000042 of $19.00 is attached.\n\nAcme\n"
	again.Status, again.NextAttemptAt, again.SentAt, again.Attempts = "pending", 1763643600, 0, []EmailAttempt{}
	load := httpkit.LoadByID(h.kit, id.Email, db.ErrEmailNotFound, h.store.Emails.EmailWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getEmail", Method: http.MethodGet, Path: "/emails/{id}", Tag: tag, Summary: "Get an email",
		Description: "With its content and its attempts.", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: whole,
	}, h.getEmail)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listEmails", Method: http.MethodGet, Path: "/emails", Tag: tag, Summary: "List emails",
		Description: "Those of the last 90 days.", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[Email]{Data: []Email{example}},
	}, h.listEmails)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "resendEmail", Method: http.MethodPost, Path: "/emails/{id}/resend", Tag: tag, Summary: "Send an email again",
		Description: "Sends another email about the same, to the present address of the customer, with its content and documents " +
			"drawn anew. One that asks to pay an invoice is refused once that is not open any more.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Load: load, Response: again,
	}, h.resendEmail)
	again.EventID, again.Subject, again.Language = "", "", ""
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "sendInvoice", Method: http.MethodPost, Path: "/invoices/{id}/send", Tag: "Invoices",
		Summary:     "Send an invoice by email",
		Description: "Sends it to the customer's address, also where emails about new invoices are switched off.",
		Status:      http.StatusCreated, Access: httpkit.WriteAccess, Response: again,
		Load: httpkit.LoadByID(h.kit, id.Invoice, db.ErrInvoiceNotFound, h.store.Invoices.GetWithKey),
	}, h.sendInvoice)
}
