package customers

import (
	"perennial/api/view"
	"perennial/billing/overdue"
)

// Overdue is the state that the overdue policy has a customer in.
type Overdue struct {
	State        string               `json:"state" example:"blocked" doc:"The name of the state."`
	Since        int64                `json:"since" example:"1763640000" doc:"When the customer entered it, in Unix seconds."`
	Invoices     int                  `json:"invoices" example:"3" doc:"How many of the customer's invoices are overdue."`
	Amounts      []view.OverdueAmount `json:"amounts" doc:"What is overdue, by currency."`
	OldestAt     int64                `json:"oldestAt" example:"1761220800" doc:"Since when the oldest of them is overdue, in Unix seconds."`
	AccessDenied bool                 `json:"accessDenied" doc:"true: no subscription gives the customer access."`
	NeedsPerson  bool                 `json:"needsPerson" doc:"true: a person should look at the customer."`
	Canceling    bool                 `json:"canceling" doc:"true: subscriptions that the customer had when the state began are still to be canceled, within a minute."`
	NextAt       int64                `json:"nextAt,omitempty" example:"1766232000" doc:"When age alone leads to the next state, in Unix seconds. Absent: it does not."`
}

// renderOverdue shows where a customer stands; nil: in no state.
func renderOverdue(s overdue.Standing) *Overdue {
	if s.State == "" {
		return nil
	}
	return &Overdue{
		State: s.State, Since: view.Unix(s.Since), Invoices: s.Invoices, Amounts: view.RenderOverdueAmounts(s.Amounts),
		OldestAt: view.Unix(s.Oldest), AccessDenied: s.AccessDenied, NeedsPerson: s.NeedsPerson, Canceling: s.Canceling,
		NextAt: view.Unix(s.NextAt),
	}
}
