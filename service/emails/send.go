package emails

import (
	"context"
	"errors"

	"perennial/billing/email"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
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
	errSettled = fault.New(fault.Conflict, "invoice_not_open",
		"The email asks to pay an invoice that is not open any more. Send the invoice with POST /invoices/{id}/send.")
	errConfirmed = fault.New(fault.Conflict, "payment_not_waiting",
		"The email asks to confirm a payment that does not wait for it any more. Begin another one with POST /invoices/{id}/pay.")
	errErased = fault.New(fault.Conflict, "email_erased", "The content of the email was erased with its customer.")
	errDraft  = fault.New(fault.Conflict, "invoice_not_issued",
		"The invoice is a draft. Finalize it first.")
)

// Resend writes a mail once more, as another one, to the present address of the customer. Its content is drawn anew: it
// asks for what is due now, and its links work. Faults: email_not_found, email_pending, email_erased, invoice_not_open,
// email_sender_missing, customer_email_missing.
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
		if err := toPay(ctx, tx.Reader, by.EnvironmentID, m); err != nil {
			return m, err
		}
		return s.write(ctx, tx, by.EnvironmentID, "resend ", db.Email{
			Kind: m.Kind, ObjectID: m.ObjectID, CustomerID: m.CustomerID, EventID: m.EventID,
		})
	})
}

// toPay refuses a mail that asks to pay an invoice which is not open any more, or to confirm a payment that does not
// wait for it. Faults: invoice_not_open, payment_not_waiting.
func toPay(ctx context.Context, read db.Reader, environmentID string, m db.Email) error {
	if !m.Kind.AsksToPay() {
		return nil
	}
	attempt, err := read.Payments.Transaction(ctx, environmentID, m.ObjectID)
	if err != nil {
		return err
	}
	if m.Kind == email.ConfirmationNeeded && attempt.Status != payment.Pending {
		return errConfirmed
	}
	if attempt.InvoiceID == "" {
		return nil
	}
	inv, err := read.Invoices.Get(ctx, environmentID, attempt.InvoiceID)
	if err == nil && inv.Status != invoice.Open {
		return errSettled
	}
	return err
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
