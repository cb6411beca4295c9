package customers

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/customers"
)

// Balance is a customer's credit by currency, or the debt from amounts that no provider takes.
type Balance struct {
	CustomerID string   `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Balances   []Credit `json:"balances" doc:"One entry per currency that is not 0, or in which the customer has credit grants."`
}

// BalanceEntry is one entry of a customer's ledger. It never changes.
type BalanceEntry struct {
	ID           string `json:"id" example:"cr_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	CustomerID   string `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Currency     string `json:"currency" example:"USD"`
	Amount       int64  `json:"amount" example:"500" doc:"Minor units: above zero, credit was given; below, it was used or taken."`
	Reason       string `json:"reason" enum:"proration,applied,returned,carried_forward,brought_forward,refunded,refund_failed,imported,not_captured,credit_note,settled,adjusted,granted,expired,voided" example:"adjusted" doc:"Why. applied: it paid an invoice, returned: that was voided. settled: credit notes of a change paid the invoice of the same change. adjusted: a person or an app gave or took it. granted: a credit grant was given; expired, voided: what was left of one."`
	Note         string `json:"note,omitempty" example:"Sorry for the outage" doc:"Of an adjustment. Erased with the customer."`
	InvoiceID    string `json:"invoiceId,omitempty" doc:"The invoice that it belongs to."`
	GrantID      string `json:"creditGrantId,omitempty" doc:"The credit grant that it moves. Absent: the plain balance."`
	BalanceAfter int64  `json:"balanceAfter" example:"500" doc:"All that the customer has in this currency after the entry, credit grants included."`
	CreatedAt    int64  `json:"createdAt" example:"1763640000"`
}

// BalanceEntryForm gives or takes credit.
type BalanceEntryForm struct {
	Currency string `json:"currency" example:"USD" doc:"ISO 4217, uppercase."`
	Amount   int64  `json:"amount" minimum:"-999999999999" maximum:"999999999999" example:"500" doc:"Minor units: above zero gives credit, below takes it. What is taken beyond the plain balance is collected with the next invoice."`
	Note     string `json:"note,omitempty" maxLength:"200" example:"Sorry for the outage" doc:"Why, for people. Erased with the customer."`
}

func renderBalanceEntry(e db.BalanceEntry) BalanceEntry {
	return BalanceEntry{
		ID: e.ID, CustomerID: e.CustomerID, Currency: string(e.Currency), Amount: int64(e.Amount), Reason: string(e.Reason),
		Note: e.Note, InvoiceID: e.InvoiceID, GrantID: e.GrantID, BalanceAfter: int64(e.After),
		CreatedAt: view.Unix(e.CreatedAt),
	}
}

func (h *Handler) getBalance(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Balance], error) {
	found := httpkit.Resource[credited](c)
	return httpkit.OK(Balance{CustomerID: found.ID, Balances: renderCredits(found.ID, found.credits)}), nil
}

type listBalanceEntriesInput struct {
	httpkit.ByID
	httpkit.Page
	Currency string `query:"currency" maxLength:"3" doc:"Only entries in this currency."`
}

func (h *Handler) listBalanceEntries(
	ctx context.Context, c *httpkit.Call, in *listBalanceEntriesInput,
) (*httpkit.Reply[httpkit.List[BalanceEntry]], error) {
	page, err := in.DB(id.Credit)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Customers.BalanceEntries(ctx, c.EnvironmentID, in.ID, money.Currency(in.Currency), page)
	return httpkit.ListOf(rows, more, err, renderBalanceEntry)
}

type createBalanceEntryInput struct {
	httpkit.ByID
	Body BalanceEntryForm
}

func (h *Handler) createBalanceEntry(
	ctx context.Context, c *httpkit.Call, in *createBalanceEntryInput,
) (*httpkit.Reply[BalanceEntry], error) {
	currency, err := money.ParseCurrency(in.Body.Currency)
	if err != nil {
		return nil, err
	}
	made := func(e db.BalanceEntry) httpkit.Made[BalanceEntry] { // its note is erased with the customer
		return httpkit.Made[BalanceEntry]{Resource: renderBalanceEntry(e), CustomerID: e.CustomerID}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusCreated, made, func(around usecase.Around[db.BalanceEntry]) error {
		return h.service.AdjustBalance(ctx, usecase.Caller(c), customers.BalanceAdjustment{
			CustomerID: in.ID, Currency: currency, Amount: money.Minor(in.Body.Amount), Note: in.Body.Note,
		}, around)
	}, h.gate.Admit(in.ID))
}

// balanceOperations registers the operations of balances; loadAny also finds erased customers, for repeats.
func (h *Handler) balanceOperations(load, loadAny httpkit.Loader) {
	example := BalanceEntry{
		ID: "cr_01jcz6dyqx4w9s1c2k7v5h8m3n", CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", Currency: "USD", Amount: 500,
		Reason: "adjusted", Note: "Sorry for the outage", BalanceAfter: 500, CreatedAt: 1763640000,
	}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getBalance", Method: http.MethodGet, Path: "/customers/{id}/balance", Tag: "Customers",
		Summary: "Get a customer's balance", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: Balance{CustomerID: example.CustomerID, Balances: []Credit{{Currency: "USD", Amount: 500, Plain: 500}}},
	}, h.getBalance)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listBalanceEntries", Method: http.MethodGet, Path: "/customers/{id}/balance/entries", Tag: "Customers",
		Summary: "List the entries of a customer's ledger", Description: "The balance is their sum.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: httpkit.List[BalanceEntry]{Data: []BalanceEntry{example}},
	}, h.listBalanceEntries)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createBalanceEntry", Method: http.MethodPost, Path: "/customers/{id}/balance/entries", Tag: "Customers",
		Summary: "Give a customer credit, or take it",
		Description: "The next invoices in the currency use the credit. What is taken beyond the plain balance is a debit, which " +
			"the next invoice collects. For credit that expires, or is for some plans, create a credit grant.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Crowds: true, Load: loadAny, Response: example,
		Request: BalanceEntryForm{Currency: "USD", Amount: 500, Note: "Sorry for the outage"},
	}, h.createBalanceEntry)
}
