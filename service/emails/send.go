package emails

import (
	"context"
	"errors"

	"perennial/billing/email"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

var (
	errNoSender = fault.New(fault.Conflict, "email_sender_missing",
		"The environment sends no mail. Send email settings with PUT /email-settings first.")
	errNoAddress = fault.New(fault.Conflict, "customer_email_missing",
		"The customer has no email address. Add one first.")
	errPending = fault.New(fault.Conflict, "email_pending",
		"The email is still being sent. Wait until it is sent or has failed.")
	errErased = fault.New(fault.Conflict, "email_erased", "The content of the email was erased with its customer.")
	errDraft  = fault.New(fault.Conflict, "invoice_not_issued",
		"The invoice is a draft. Finalize it first.")
)

// Resend sends the content of a mail once more, as another mail, to the present address of the customer. Faults:
// email_not_found, email_pending, email_erased, email_sender_missing, customer_email_missing.
func (s *Service) Resend(
	ctx context.Context, by usecase.Caller, emailID string, around usecase.Around[db.Email],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (db.Email, error) {
		m, err := tx.Emails.Lock(ctx, by.EnvironmentID, emailID)
		switch {
		case err != nil:
			return m, err
		case m.Status == email.Pending:
			return m, errPending
		case !m.ErasedAt.IsZero():
			return m, errErased
		}
		return s.write(ctx, tx, by.EnvironmentID, "resend ", db.Email{
			Kind: m.Kind, ObjectID: m.ObjectID, CustomerID: m.CustomerID, EventID: m.EventID, Content: m.Content,
		})
	})
}

// MailInvoice sends an issued invoice to its customer, whether or not the kind is switched on. Faults:
// invoice_not_found, invoice_not_issued, email_sender_missing, customer_email_missing.
func (s *Service) MailInvoice(
	ctx context.Context, by usecase.Caller, invoiceID string, around usecase.Around[db.Email],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (db.Email, error) {
		inv, err := tx.Invoices.Get(ctx, by.EnvironmentID, invoiceID)
		if err != nil {
			return db.Email{}, err
		}
		if inv.Status == invoice.InDraft {
			return db.Email{}, errDraft
		}
		return s.write(ctx, tx, by.EnvironmentID, "send ", db.Email{
			Kind: email.InvoiceIssued, ObjectID: inv.ID, CustomerID: inv.CustomerID,
		})
	})
}

// write writes a mail that was asked for. Its occurrence is its own: each request sends another one.
func (s *Service) write(
	ctx context.Context, tx *db.Tx, environmentID, asked string, m db.Email,
) (db.Email, error) {
	if _, err := tx.Emails.Sender(ctx, environmentID); errors.Is(err, db.ErrEmailSettingsNotFound) {
		return m, errNoSender
	} else if err != nil {
		return m, err
	}
	payer, err := tx.Customers.Get(ctx, environmentID, m.CustomerID)
	if err != nil {
		return m, err
	}
	if payer.Email == "" || !payer.ErasedAt.IsZero() {
		return m, errNoAddress
	}
	m.ID, m.Recipient, m.EnvironmentID = id.New(id.Email, tx.Real), payer.Email, environmentID
	m.Occurrence, m.Status = asked+m.ID, email.Pending
	m.CreatedAt, m.NextAttemptAt = tx.Real, tx.Real
	return m, tx.Emails.Insert(ctx, environmentID, m)
}
