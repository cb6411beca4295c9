package adyen

// The fields that we send, and those of Adyen's answers that we read; everything else in an answer is ignored.

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

	// Only where the payer is asked.
	AuthenticationData *authenticationData `json:"authenticationData,omitempty"`
	BrowserInfo        *browserInfo        `json:"browserInfo,omitempty"`
	Channel            string              `json:"channel,omitempty"`
}

// authenticationData requests 3-D Secure by a page.
type authenticationData struct {
	AttemptAuthentication string             `json:"attemptAuthentication"`
	ThreeDSRequestData    threeDSRequestData `json:"threeDSRequestData"`
}

type threeDSRequestData struct {
	NativeThreeDS string `json:"nativeThreeDS"`
}

// browserInfo describes the payer's browser; Adyen requires all of it.
type browserInfo struct {
	AcceptHeader   string `json:"acceptHeader"`
	ColorDepth     int    `json:"colorDepth"`
	JavaEnabled    bool   `json:"javaEnabled"`
	Language       string `json:"language"`
	ScreenHeight   int    `json:"screenHeight"`
	ScreenWidth    int    `json:"screenWidth"`
	TimeZoneOffset int    `json:"timeZoneOffset"`
	UserAgent      string `json:"userAgent"`
}

// detailsRequest submits the values of the payer's browser.
type detailsRequest struct {
	Details map[string]string `json:"details"`
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
	Action            *action `json:"action"`
	Amount            *amount `json:"amount"`
	MerchantReference string  `json:"merchantReference"`
	PSPReference      string  `json:"pspReference"`
	RefusalReason     string  `json:"refusalReason"`
	RefusalReasonCode string  `json:"refusalReasonCode"`
	ResultCode        string  `json:"resultCode"`
}

// action is the payer's next action.
type action struct {
	Method string `json:"method"`
	Type   string `json:"type"`
	URL    string `json:"url"`
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
