package event

// TypeEmailFailed is the only type about mails.
const TypeEmailFailed Type = "email.failed"

// EmailFailed means that a mail to a customer was given up: the mail server refused it for good, or no attempt
// succeeded. What the server said is in the log of the mail.
type EmailFailed struct {
	ID         string `json:"id" doc:"The mail."`
	CustomerID string `json:"customerId" doc:"The customer."`
	Kind       string `json:"kind" doc:"What the mail is about, such as invoice_issued."`
	ObjectID   string `json:"objectId" doc:"What it tells of: an invoice, a payment transaction, a subscription, a credit note or a payment method."`
	Reason     string `json:"reason" enum:"refused,address_malformed,attempts_used,object_gone" doc:"refused: by the mail server, for good. address_malformed: the address of the customer. attempts_used: no attempt succeeded in time. object_gone: what it tells of does not exist any more."`
	Code       string `json:"code,omitempty" doc:"The code of the mail server's last reply, such as 550. Absent: it gave none."`
}

func (e EmailFailed) about() about { return about{objectID: e.ID, customerID: e.CustomerID} }

// Type implements Data.
func (EmailFailed) Type() Type { return TypeEmailFailed }
