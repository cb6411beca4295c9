package hosted

import (
	"context"
	"errors"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/hosted"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// ErrUnknownLink refuses a link that opens nothing: of no invoice, of a draft, of a deleted customer, replaced by
// another one, or malformed.
var ErrUnknownLink = fault.New(fault.NotFound, "invoice_link_unknown",
	"The link opens no invoice. Check that you opened the whole link, or ask the seller for a new one.")

// Page is the invoice that a link opens, with what its page offers.
type Page struct {
	hosted.Facts

	State         hosted.State
	EnvironmentID string
	TimeZone      string // of the environment
	// Methods are the payment methods that the payer has, the one first that is charged unless another one is chosen. None
	// where the page asks for no payment.
	Methods []customer.Method
	// Wallets: the payer may give the number of a mobile money wallet.
	Wallets bool
}

// Page reads the invoice that a link opens; token is the link's last part. Fault: invoice_link_unknown.
func (s *Service) Page(ctx context.Context, token string) (Page, error) {
	named, code, ok := contract.ParseHosted(token)
	if !ok || !id.Is(id.Environment, named.EnvironmentID) || !id.Is(id.Invoice, named.InvoiceID) {
		return Page{}, ErrUnknownLink
	}
	found, err := s.Store.Invoices.Hosted(ctx, named.EnvironmentID, named.InvoiceID)
	if err != nil {
		return Page{}, unknown(err)
	}
	named.Revision = found.Invoice.LinkRevision
	if !contract.LinkKey(found.LinkKey).Opens(code, named) {
		return Page{}, ErrUnknownLink
	}
	p := Page{
		EnvironmentID: named.EnvironmentID, TimeZone: found.TimeZone,
		Facts: hosted.Facts{LinkDays: found.LinkDays, Real: s.Now()},
	}
	if p.Invoice, err = s.Store.Invoices.Get(ctx, named.EnvironmentID, named.InvoiceID); err != nil {
		return Page{}, unknown(err)
	}
	return p, unknown(s.complete(ctx, &p))
}

// unknown hides what is missing.
func unknown(err error) error {
	if errors.Is(err, db.ErrInvoiceNotFound) || errors.Is(err, db.ErrCustomerNotFound) ||
		errors.Is(err, db.ErrTestClockNotFound) {
		return ErrUnknownLink
	}
	return err
}

// complete reads what a page shows besides the invoice.
func (s *Service) complete(ctx context.Context, p *Page) error {
	inv := p.Invoice
	payer, err := s.Store.Customers.Get(ctx, p.EnvironmentID, inv.CustomerID)
	if err != nil {
		return err
	}
	if !payer.ErasedAt.IsZero() {
		return ErrUnknownLink
	}
	if p.Now, err = usecase.CustomerNow(ctx, s.Store.Reader, p.EnvironmentID, payer, p.Real); err != nil {
		return err
	}
	p.Attempts, _, err = s.Store.Payments.Transactions(ctx, p.EnvironmentID,
		db.TransactionFilter{InvoiceID: inv.ID, Type: payment.Charge},
		db.Page{Limit: hosted.Looked, Unsettled: true})
	if err != nil {
		return err
	}
	if p.State = p.Facts.State(); p.State != hosted.Payable {
		return nil
	}
	if p.Methods, err = s.methods(ctx, p.EnvironmentID, payer, inv.SubscriptionID); err != nil {
		return err
	}
	p.Wallets, err = s.customers.TakesWallets(ctx, p.EnvironmentID, inv.Currency)
	return err
}

// methods returns the customer's payment methods, the one first that the subscription of an invoice is charged with.
func (s *Service) methods(
	ctx context.Context, environmentID string, payer customer.Customer, subscriptionID string,
) ([]customer.Method, error) {
	all, err := s.Store.Customers.AllPaymentMethods(ctx, environmentID, payer.ID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var named string
	if subscriptionID != "" {
		sub, err := s.Store.Subscriptions.Get(ctx, environmentID, subscriptionID)
		if err != nil {
			return nil, err
		}
		named = sub.PaymentMethodID
	}
	charged, others := payer.Charged(all, named)
	for _, m := range all {
		if m.ID == charged.PaymentMethodID {
			return append([]customer.Method{m}, others...), nil
		}
	}
	return others, nil
}
