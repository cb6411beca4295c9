package pawapay

import "encoding/json"

// The fields of pawaPay's objects that we read and write; everything else in an answer is ignored.

// depositRequest requests money: a prompt on the payer's telephone.
type depositRequest struct {
	DepositID         string              `json:"depositId"`
	Amount            string              `json:"amount"`
	Currency          string              `json:"currency"`
	Payer             payer               `json:"payer"`
	ClientReferenceID string              `json:"clientReferenceId"`
	CustomerMessage   string              `json:"customerMessage"`
	Metadata          []map[string]string `json:"metadata"`
}

type payer struct {
	Type           string         `json:"type"` // MMO: a mobile money operator
	AccountDetails accountDetails `json:"accountDetails"`
}

type accountDetails struct {
	PhoneNumber string `json:"phoneNumber"`
	Provider    string `json:"provider"`
}

type refundRequest struct {
	RefundID          string              `json:"refundId"`
	DepositID         string              `json:"depositId"`
	Amount            string              `json:"amount"`
	Currency          string              `json:"currency"`
	ClientReferenceID string              `json:"clientReferenceId"`
	Metadata          []map[string]string `json:"metadata"`
}

// record is a deposit or a refund: in the answer to its initiation, in a look-up and in a callback.
type record struct {
	DepositID         string   `json:"depositId"`
	RefundID          string   `json:"refundId"`
	Status            string   `json:"status"`
	Amount            string   `json:"amount"`
	Currency          string   `json:"currency"`
	AuthorizationURL  string   `json:"authorizationUrl"`
	ClientReferenceID string   `json:"clientReferenceId"`
	FailureReason     *reason  `json:"failureReason"`
	RejectionReason   *reason  `json:"rejectionReason"`
	Metadata          metadata `json:"metadata"`
}

// reason is the reason of a failure. Refunds have two spellings of it in pawaPay's documents.
type reason struct {
	FailureCode      string `json:"failureCode"`
	FailureMessage   string `json:"failureMessage"`
	RejectionCode    string `json:"rejectionCode"`
	RejectionMessage string `json:"rejectionMessage"`
}

// why returns code and message of a refusal or a failure; both empty where the record has none.
func (r record) why() (code, message string) {
	for _, w := range []*reason{r.FailureReason, r.RejectionReason} {
		switch {
		case w == nil:
		case w.FailureCode != "":
			return w.FailureCode, w.FailureMessage
		case w.RejectionCode != "":
			return w.RejectionCode, w.RejectionMessage
		}
	}
	return "", ""
}

// transactionID is our reference in it; empty: it was made without us.
func (r record) transactionID() string {
	if id := r.Metadata[txnKey]; id != "" {
		return id
	}
	return r.ClientReferenceID
}

// lookup is the envelope of a look-up.
type lookup struct {
	Status string `json:"status"` // FOUND, NOT_FOUND
	Data   record `json:"data"`
}

// The metadata keys. txnKey carries our transaction ID; look-ups and callbacks depend on it, so it never changes.
const (
	txnKey         = "txnId"
	descriptionKey = "description"
)

// metadata is sent as a list of objects with one key each, and comes back as one object. Values that are no strings are
// not ours.
type metadata map[string]string

// UnmarshalJSON accepts both forms, and never fails: a note must not make an answer about money unreadable.
func (m *metadata) UnmarshalJSON(raw []byte) error {
	out := metadata{}
	var one map[string]any
	var many []map[string]any
	if json.Unmarshal(raw, &one) == nil {
		many = append(many, one)
	} else if json.Unmarshal(raw, &many) != nil {
		return nil //nolint:nilerr // see above
	}
	for _, entry := range many {
		for k, v := range entry {
			if s, ok := v.(string); ok {
				out[k] = s
			}
		}
	}
	*m = out
	return nil
}
