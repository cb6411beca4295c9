package stripe

// The fields of Stripe's objects that we read; everything else in an answer is ignored.

type intent struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	Amount             int64             `json:"amount"`
	AmountReceived     int64             `json:"amount_received"`
	CancellationReason string            `json:"cancellation_reason"`
	Created            int64             `json:"created"`
	Currency           string            `json:"currency"`
	LastPaymentError   *apiError         `json:"last_payment_error"`
	Metadata           map[string]string `json:"metadata"`
	NextAction         struct {
		RedirectToURL struct {
			URL string `json:"url"`
		} `json:"redirect_to_url"`
	} `json:"next_action"`
	Status string `json:"status"`
}

type refund struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	Amount        int64             `json:"amount"`
	Currency      string            `json:"currency"`
	FailureReason string            `json:"failure_reason"`
	Metadata      map[string]string `json:"metadata"`
	Status        string            `json:"status"`
}

type dispute struct {
	ID                  string `json:"id"`
	Object              string `json:"object"`
	Amount              int64  `json:"amount"`
	Currency            string `json:"currency"`
	Reason              string `json:"reason"`
	Status              string `json:"status"`
	BalanceTransactions []struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	} `json:"balance_transactions"`
	EvidenceDetails struct {
		DueBy int64 `json:"due_by"` // Unix seconds; absent where nothing can be sent any more
	} `json:"evidence_details"`
}

type apiError struct {
	Code          string  `json:"code"`
	DeclineCode   string  `json:"decline_code"`
	Message       string  `json:"message"`
	Param         string  `json:"param"`
	PaymentIntent *intent `json:"payment_intent"`
	Type          string  `json:"type"`
}

type errorEnvelope struct {
	Error *apiError `json:"error"`
}

// page is a search result or a list.
type page[T any] struct {
	Object  string `json:"object"`
	Data    []T    `json:"data"`
	HasMore bool   `json:"has_more"`
}

type balance struct {
	Object   string `json:"object"`
	Livemode *bool  `json:"livemode"`
}

// txnKey is the metadata key that carries our transaction ID; look-ups and callbacks depend on it, so it never changes.
const txnKey = "txn_id"
