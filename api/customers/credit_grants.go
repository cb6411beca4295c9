package customers

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/balance"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
)

// CreditGrant is credit of a customer apart from the plain balance.
type CreditGrant struct {
	ID         string        `json:"id" example:"crg_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	CustomerID string        `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Status     string        `json:"status" enum:"active,depleted,expired,voided" example:"active" doc:"Whether invoices can use it. depleted: nothing is left; an invoice that is voided gives back what it had used."`
	Currency   string        `json:"currency" example:"USD" doc:"ISO 4217 code. Invoices in this currency use it."`
	Amount     int64         `json:"amount" example:"5000" doc:"What was granted, in minor units."`
	Remaining  int64         `json:"remaining" example:"3200" doc:"What is left. Of an expired grant it is taken away within a minute; until then no invoice uses it."`
	Priority   int           `json:"priority" example:"50" doc:"Grants with a lower number are used first."`
	PlanIDs    []string      `json:"planIds,omitempty" doc:"Only invoices of subscriptions to these plans use it. Absent: any invoice."`
	Name       string        `json:"name,omitempty" example:"Welcome credit" doc:"For people. Erased with the customer."`
	ExpiresAt  int64         `json:"expiresAt,omitempty" example:"1766232000" doc:"From when no invoice uses it, in Unix seconds of the customer's time. Absent: it never expires."`
	VoidedAt   int64         `json:"voidedAt,omitempty" doc:"When it was voided."`
	Metadata   view.Metadata `json:"metadata"`
	CreatedAt  int64         `json:"createdAt" example:"1763640000"`
}

// CreditGrantForm gives a customer a credit grant.
type CreditGrantForm struct {
	Currency  string        `json:"currency" example:"USD" doc:"ISO 4217, uppercase."`
	Amount    int64         `json:"amount" minimum:"1" maximum:"999999999999" example:"5000" doc:"Minor units."`
	Priority  *int          `json:"priority,omitempty" minimum:"0" maximum:"100" example:"50" doc:"Grants with a lower number are used first. Default: 50."`
	PlanIDs   []string      `json:"planIds,omitempty" minItems:"1" maxItems:"20" doc:"Only invoices of subscriptions to these plans use it. Default: any invoice."`
	Name      string        `json:"name,omitempty" maxLength:"100" example:"Welcome credit" doc:"For people. Erased with the customer."`
	ExpiresAt int64         `json:"expiresAt,omitempty" minimum:"1" maximum:"253402300799" example:"1766232000" doc:"From when no invoice uses it, in Unix seconds of the customer's time. Default: it never expires."`
	Metadata  view.Metadata `json:"metadata,omitempty" maxProperties:"50"`
}

func (f CreditGrantForm) grant(customerID string) (balance.Grant, error) {
	currency, err := money.ParseCurrency(f.Currency)
	g := balance.Grant{
		CustomerID: customerID, Currency: currency, Amount: money.Minor(f.Amount), Priority: balance.DefaultPriority,
		PlanIDs: f.PlanIDs, Name: f.Name, Metadata: metadata.Pairs(f.Metadata), ExpiresAt: view.Instant(f.ExpiresAt),
	}
	if f.Priority != nil {
		g.Priority = *f.Priority
	}
	return g, err
}

// renderCreditGrant returns a grant with its status at the customer's time: that of the test clock, or now.
func renderCreditGrant(g db.CreditGrant, now time.Time) CreditGrant {
	return CreditGrant{
		ID: g.ID, CustomerID: g.CustomerID, Status: string(g.Status(cmp.Or(g.ClockNow, now))), Currency: string(g.Currency),
		Amount: int64(g.Amount), Remaining: int64(g.Left), Priority: g.Priority, PlanIDs: g.PlanIDs, Name: g.Name,
		ExpiresAt: view.Unix(g.ExpiresAt), VoidedAt: view.Unix(g.VoidedAt), Metadata: view.RenderMetadata(g.Metadata),
		CreatedAt: view.Unix(g.GivenAt),
	}
}

// madeCreditGrant names the customer, with whom the name and metadata in the response are erased.
func (h *Handler) madeCreditGrant(g db.CreditGrant) httpkit.Made[CreditGrant] {
	return httpkit.Made[CreditGrant]{Resource: renderCreditGrant(g, h.now()), CustomerID: g.CustomerID}
}

type createCreditGrantInput struct {
	httpkit.ByID
	Body CreditGrantForm
}

func (h *Handler) createCreditGrant(
	ctx context.Context, c *httpkit.Call, in *createCreditGrantInput,
) (*httpkit.Reply[CreditGrant], error) {
	grant, err := in.Body.grant(in.ID)
	if err != nil {
		return nil, err
	}
	return usecase.Command(ctx, h.kit, c, http.StatusCreated, h.madeCreditGrant,
		func(around usecase.Around[db.CreditGrant]) error {
			return h.service.GrantCredit(ctx, usecase.Caller(c), grant, around)
		}, h.gate.Admit(in.ID))
}

func (h *Handler) getCreditGrant(
	_ context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[CreditGrant], error) {
	return httpkit.OK(renderCreditGrant(httpkit.Resource[db.CreditGrant](c), h.now())), nil
}

type listCreditGrantsInput struct {
	httpkit.ByID
	httpkit.Page
	Currency string `query:"currency" maxLength:"3" doc:"Only grants in this currency."`
}

func (h *Handler) listCreditGrants(
	ctx context.Context, c *httpkit.Call, in *listCreditGrantsInput,
) (*httpkit.Reply[httpkit.List[CreditGrant]], error) {
	page, err := in.DB(id.CreditGrant)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Customers.CreditGrants(ctx, c.EnvironmentID, in.ID, money.Currency(in.Currency), page)
	now := h.now()
	return httpkit.ListOf(rows, more, err, func(g db.CreditGrant) CreditGrant { return renderCreditGrant(g, now) })
}

func (h *Handler) voidCreditGrant(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[CreditGrant], error) {
	seen := httpkit.Resource[db.CreditGrant](c)
	return usecase.Command(ctx, h.kit, c, http.StatusOK, h.madeCreditGrant,
		func(around usecase.Around[db.CreditGrant]) error {
			return h.service.VoidCreditGrant(ctx, usecase.Caller(c), seen.Grant, around)
		}, h.gate.Admit(seen.CustomerID))
}

// creditGrantOperations registers the operations of grants; loadAny also finds erased customers, for repeats.
func (h *Handler) creditGrantOperations(load, loadAny httpkit.Loader) {
	example := CreditGrant{
		ID: "crg_01jcz6dyqx4w9s1c2k7v5h8m3n", CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n",
		Status: "active", Currency: "USD",
		Amount: 5000, Remaining: 3200, Priority: 50, Name: "Welcome credit", ExpiresAt: 1766232000, Metadata: view.Metadata{},
		CreatedAt: 1763640000,
	}
	fresh, voided := example, example
	fresh.Remaining = 5000
	voided.Status, voided.Remaining, voided.VoidedAt = "voided", 0, 1763726400
	loadGrant := httpkit.LoadByID(h.kit, id.CreditGrant, db.ErrCreditGrantNotFound, h.store.Customers.CreditGrantWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createCreditGrant", Method: http.MethodPost, Path: "/customers/{id}/credit-grants", Tag: "Credit grants",
		Summary: "Give a customer a credit grant",
		Description: "Invoices use grants before the plain balance: those with the lowest priority first, then the one that " +
			"expires sooner, then the older. A grant pays for an invoice that is due before expiresAt, and what is left then is " +
			"taken away. A voided invoice gives back to a grant what it had used of it. Grants never go back in money.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Crowds: true, Load: loadAny, Response: fresh,
		Request: CreditGrantForm{Currency: "USD", Amount: 5000, Name: "Welcome credit"},
	}, h.createCreditGrant)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listCreditGrants", Method: http.MethodGet, Path: "/customers/{id}/credit-grants", Tag: "Credit grants",
		Summary: "List a customer's credit grants", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: httpkit.List[CreditGrant]{Data: []CreditGrant{example}},
	}, h.listCreditGrants)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getCreditGrant", Method: http.MethodGet, Path: "/credit-grants/{id}", Tag: "Credit grants",
		Summary: "Get a credit grant", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: loadGrant, Response: example,
	}, h.getCreditGrant)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "voidCreditGrant", Method: http.MethodPost, Path: "/credit-grants/{id}/void", Tag: "Credit grants",
		Summary: "Void a credit grant",
		Description: "What is left of it is taken back. What invoices have used stays paid, and does not come back to a void " +
			"grant for use where such an invoice is voided.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: loadGrant, Response: voided,
	}, h.voidCreditGrant)
}
