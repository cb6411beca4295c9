package adyen

// What we send, and what we read of Adyen's answers; everything else in an answer is ignored.

type amount struct {
	Currency string `json:"currency"`
	Value    int64  `json:"value"`
}

type paymentRequest struct {
	MerchantAccount          string            `json:"merchantAccount"`
	Reference                string            `json:"reference"`
	Amount                   amount            `json:"amount"`
	PaymentMethod            storedCard        `json:"paymentMethod"`
	ShopperReference         string            `json:"shopperReference"`
	ShopperInteraction       string            `json:"shopperInteraction"`
	RecurringProcessingModel string            `json:"recurringProcessingModel"`
	ReturnURL                string            `json:"returnUrl"`
	CaptureDelayHours        int               `json:"captureDelayHours"`
	Metadata                 map[string]string `json:"metadata,omitempty"`
}

type storedCard struct {
	Type                  string `json:"type"`
	StoredPaymentMethodID string `json:"storedPaymentMethodId"`
}

type refundRequest struct {
	MerchantAccount string `json:"merchantAccount"`
	Reference       string `json:"reference"`
	Amount          amount `json:"amount"`
}

// modificationRequest cancels or reverses. PaymentReference names the payment where its pspReference is unknown.
type modificationRequest struct {
	MerchantAccount  string `json:"merchantAccount"`
	Reference        string `json:"reference"`
	PaymentReference string `json:"paymentReference,omitempty"`
}

type payment struct {
	Amount            *amount `json:"amount"`
	MerchantReference string  `json:"merchantReference"`
	PSPReference      string  `json:"pspReference"`
	RefusalReason     string  `json:"refusalReason"`
	RefusalReasonCode string  `json:"refusalReasonCode"`
	ResultCode        string  `json:"resultCode"`
}

// modification is the receipt for a refund, cancel or reversal: its outcome comes by webhook.
type modification struct {
	Amount              *amount `json:"amount"`
	PaymentPSPReference string  `json:"paymentPspReference"`
	PSPReference        string  `json:"pspReference"`
	Reference           string  `json:"reference"`
	Status              string  `json:"status"`
}

type apiError struct {
	ErrorCode string `json:"errorCode"`
	ErrorType string `json:"errorType"`
	Message   string `json:"message"`
}
