package hosted

import (
	"context"
	"slices"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/db"
	"perennial/service/usecase"
)

// Choice is how a payer pays: with one of their methods, or by a number of a mobile money wallet.
type Choice struct {
	MethodID string // one of Page.Methods; empty: Phone is given
	Phone    string // international format; used for this payment alone, and not kept with the customer
	Wallet   string // of Phone: the type of payment method; empty: the only one that the number can have
}

// Refusals of a payer's choice.
var (
	ErrNoMethod = fault.New(fault.Invalid, "payment_method_missing",
		"The page has no payment method to charge. Choose one, or give the number of a mobile money wallet.")
	ErrNoWallet = fault.New(fault.Invalid, "wallet_unknown",
		"No mobile money operator that the seller takes has this number. Check it, with the code of its country.").In("phone")
)

// Pay begins a charge for the invoice of a page. wallets, where not empty, are the operators that the number may belong
// to: nothing was begun, and the payer has to choose one. Faults: invoice_not_payable_now, payment_method_missing,
// payment_method_not_found, wallet_unknown, those of lifecycle.Pay.
func (s *Service) Pay(ctx context.Context, p Page, choice Choice) (wallets []string, err error) {
	if err := p.Payable(); err != nil {
		return nil, err
	}
	pay := lifecycle.Pay{InvoiceID: p.Invoice.ID, Amount: &p.Invoice.AmountDue}
	switch {
	case choice.Phone != "" && p.Wallets:
		if pay.Method, wallets, err = s.wallet(ctx, p, choice); err != nil || len(wallets) > 0 {
			return wallets, err
		}
	case choice.Phone != "": // no account takes wallets any more
		return nil, ErrNoWallet
	case slices.ContainsFunc(p.Methods, func(m customer.Method) bool { return m.ID == choice.MethodID }):
		pay.MethodID = choice.MethodID
	default: // nothing is charged that the payer did not choose
		return nil, ErrNoMethod
	}
	return nil, s.invoices.PayInvoice(ctx, p.payer(), pay, usecase.Around[usecase.Performed]{})
}

// wallet returns the method that a number stands for, or the operators among which the payer has to choose.
func (s *Service) wallet(ctx context.Context, p Page, choice Choice) (m customer.Method, wallets []string, err error) {
	m = customer.Method{
		Type: choice.Wallet, CustomerID: p.Invoice.CustomerID, Details: customer.PaymentDetails{PhoneNumber: choice.Phone},
	}
	if m.Type == "" {
		m.Type = customer.MobileMoney // any, for the check of the number
	}
	if err := m.Check(); err != nil {
		return m, nil, ErrNoWallet
	}
	wallets, err = s.customers.WalletsOf(ctx, p.EnvironmentID, choice.Phone, p.Invoice.Currency)
	switch {
	case err != nil:
		return m, nil, err
	case slices.Contains(wallets, choice.Wallet):
		return m, nil, nil
	case len(wallets) == 1 && choice.Wallet == "":
		m.Type = wallets[0]
		return m, nil, nil
	case len(wallets) == 0:
		return m, nil, ErrNoWallet
	}
	return m, wallets, nil
}

// payer is who acts by the page: it knows the link, and nothing else.
func (p Page) payer() usecase.Caller {
	return usecase.Caller{Actor: db.BySystem("payer"), EnvironmentID: p.EnvironmentID, TimeZone: p.TimeZone}
}
