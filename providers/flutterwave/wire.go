package flutterwave

import "encoding/json"

// The fields of Flutterwave's objects that we read; everything else in an answer is ignored.

type envelope struct {
	Status string          `json:"status"` // success or failed
	Data   json.RawMessage `json:"data"`
	Error  *apiError       `json:"error"`
	Meta   struct {
		PageInfo pageInfo `json:"page_info"`
	} `json:"meta"`
}

type pageInfo struct {
	CurrentPage int `json:"current_page"`
	TotalPages  int `json:"total_pages"`
}

type apiError struct {
	Type             string `json:"type"`
	Code             text   `json:"code"`
	Message          string `json:"message"`
	ValidationErrors []struct {
		FieldName string `json:"field_name"`
		Message   string `json:"message"`
	} `json:"validation_errors"`
}

type charge struct {
	ID                string      `json:"id"`
	Amount            json.Number `json:"amount"`
	Currency          string      `json:"currency"`
	CreatedDatetime   string      `json:"created_datetime"`
	Disputed          bool        `json:"disputed"`
	Meta              meta        `json:"meta"`
	NextAction        nextAction  `json:"next_action"`
	Method            methodType  `json:"payment_method"`
	MethodDetails     methodType  `json:"payment_method_details"`
	ProcessorResponse processor   `json:"processor_response"`
	RedirectURL       string      `json:"redirect_url"` // where we wanted the payer to come back to
	Reference         string      `json:"reference"`
	Status            string      `json:"status"`
}

type methodType struct {
	Type string `json:"type"`
}

type nextAction struct {
	Type        string `json:"type"`
	RedirectURL struct {
		URL string `json:"url"`
	} `json:"redirect_url"`
}

type processor struct {
	Type string `json:"type"`
	Code text   `json:"code"`
}

type refund struct {
	ID             string      `json:"id"`
	AmountRefunded json.Number `json:"amount_refunded"`
	ChargeID       string      `json:"charge_id"`
	Meta           meta        `json:"meta"`
	Status         string      `json:"status"`
}

type chargeback struct {
	ID       text        `json:"id"`
	Amount   json.Number `json:"amount"`
	ChargeID string      `json:"charge_id"`
	Status   string      `json:"status"`
}

// text is a string that Flutterwave may also write as a number.
type text string

// UnmarshalJSON takes strings unchanged, and anything else as its JSON text.
func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	*t = text(s)
	return nil
}

// meta is our metadata of a charge or a refund.
type meta struct {
	TransactionID string
}

// txnKey is the key that carries our transaction ID; look-ups and callbacks depend on it, so it never changes.
const txnKey = "txn_id"

// UnmarshalJSON reads ours and takes whatever else an app attached, of any shape.
func (m *meta) UnmarshalJSON(raw []byte) error {
	var all map[string]any
	if json.Unmarshal(raw, &all) == nil {
		m.TransactionID, _ = all[txnKey].(string)
	}
	return nil
}

// attached is the metadata that we send.
type attached struct {
	TransactionID string `json:"txn_id"`
	Description   string `json:"description,omitempty"`
}
