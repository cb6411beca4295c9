package customers

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/customer"
	"perennial/db"
	"perennial/service/customers"
)

// TaxIDConfirmation confirms one of the customer's tax ids, or removes the confirmation.
type TaxIDConfirmation struct {
	Type     string `json:"type" minLength:"1" maxLength:"40" example:"eu_vat" doc:"The type of the tax id."`
	Value    string `json:"value" minLength:"1" maxLength:"40" example:"DE136695976" doc:"Its number, however grouped. A number that the customer no longer has is refused."`
	Verified *bool  `json:"verified,omitempty" doc:"false: takes the confirmation back. Default: true."`
}

type verifyTaxIDInput struct {
	httpkit.ByID
	Body TaxIDConfirmation
}

func (h *Handler) verifyTaxID(
	ctx context.Context, c *httpkit.Call, in *verifyTaxIDInput,
) (*httpkit.Reply[Customer], error) {
	said := customers.TaxIDConfirmation{
		Type: in.Body.Type, Value: in.Body.Value, TakenBack: in.Body.Verified != nil && !*in.Body.Verified,
	}
	made := func(cust customer.Customer) httpkit.Made[Customer] {
		rendered := renderCustomer(cust, httpkit.Resource[credited](c).credits)
		return httpkit.Made[Customer]{Resource: rendered, CustomerID: cust.ID}
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, made, func(keep func(*db.Tx, customer.Customer) error) error {
		_, err := h.service.ConfirmTaxID(ctx, usecase.Caller(c), in.ID, said, keep)
		return err
	})
}

// taxIDOperations registers the operations of tax ids; loadAny also finds erased customers, for repeats.
func (h *Handler) taxIDOperations(loadAny httpkit.Loader, example Customer) {
	confirmed := example
	confirmed.TaxIDs = []view.TaxID{{
		Type: "eu_vat", Value: "DE136695976", Country: "DE", Status: "verified", VerifiedAt: 1763640000,
		VerifiedBy: "key_01jcz6dyqx4w9s1c2k7v5h8m3n",
	}}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "verifyTaxId", Method: http.MethodPost, Path: "/customers/{id}/verify-tax-id", Tag: "Customers",
		Summary: "Confirm a customer's tax id",
		Description: "For a person, or an app, that asked the authority's register, such as VIES, and found the customer " +
			"there. The confirmation counts for reverse charge also where the check digits are doubtful, and ends when the " +
			"number changes.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: loadAny, Response: confirmed,
		Request: TaxIDConfirmation{Type: "eu_vat", Value: "DE136695976"},
	}, h.verifyTaxID)
}
