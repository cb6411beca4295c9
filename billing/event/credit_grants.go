package event

// The types about credit grants.
const (
	TypeCreditGrantCreated  Type = "credit_grant.created"
	TypeCreditGrantDepleted Type = "credit_grant.depleted"
	TypeCreditGrantExpired  Type = "credit_grant.expired"
	TypeCreditGrantVoided   Type = "credit_grant.voided"
)

// CreditGrant has the fields of all events about a credit grant.
type CreditGrant struct {
	ID         string `json:"id" doc:"The credit grant."`
	CustomerID string `json:"customerId" doc:"The customer."`
	Amount     int64  `json:"amount" doc:"What was granted, in minor units of the currency."`
	Currency   string `json:"currency" doc:"ISO 4217 code."`
}

// CreditGrantCreated means that a customer was given a credit grant.
type CreditGrantCreated struct {
	CreditGrant
}

// CreditGrantDepleted means that an invoice has used the rest of a credit grant. Where that invoice is voided, the
// grant has credit again, and may be announced as depleted once more.
type CreditGrantDepleted struct {
	CreditGrant
	InvoiceID      string `json:"invoiceId" doc:"The invoice that used the last of it."`
	SubscriptionID string `json:"subscriptionId,omitempty" doc:"The subscription that the invoice bills."`
}

// CreditGrantExpired means that a credit grant has expired with something left of it, which is taken away. It is sent
// again where an invoice that had used the grant is voided after that.
type CreditGrantExpired struct {
	CreditGrant
	AmountExpired int64 `json:"amountExpired" doc:"What was left of it and is taken away, in minor units."`
}

// CreditGrantVoided means that a person or an app took a credit grant back.
type CreditGrantVoided struct {
	CreditGrant
	AmountVoided int64 `json:"amountVoided" doc:"What was left of it and is taken away, in minor units."`
}

func (g CreditGrant) about() about { return about{objectID: g.ID, customerID: g.CustomerID} }

func (g CreditGrantDepleted) about() about { return about{g.ID, g.CustomerID, g.SubscriptionID} }

// Type implements Data.
func (CreditGrantCreated) Type() Type { return TypeCreditGrantCreated }

// Type implements Data.
func (CreditGrantDepleted) Type() Type { return TypeCreditGrantDepleted }

// Type implements Data.
func (CreditGrantExpired) Type() Type { return TypeCreditGrantExpired }

// Type implements Data.
func (CreditGrantVoided) Type() Type { return TypeCreditGrantVoided }
