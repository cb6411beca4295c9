package adyensim

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"perennial/providers/simulator/core"
)

type amount struct {
	Currency string `json:"currency"`
	Value    int64  `json:"value"`
}

type methodsRequest struct {
	MerchantAccount string `json:"merchantAccount"`
}

type paymentRequest struct {
	MerchantAccount string  `json:"merchantAccount"`
	Reference       string  `json:"reference"`
	Amount          *amount `json:"amount"`
	PaymentMethod   *struct {
		Type                  string `json:"type"`
		StoredPaymentMethodID string `json:"storedPaymentMethodId"`
		HolderName            string `json:"holderName"`
	} `json:"paymentMethod"`
	ShopperReference         string            `json:"shopperReference"`
	ShopperInteraction       string            `json:"shopperInteraction"`
	RecurringProcessingModel string            `json:"recurringProcessingModel"`
	ReturnURL                string            `json:"returnUrl"`
	CaptureDelayHours        int               `json:"captureDelayHours"`
	Metadata                 map[string]string `json:"metadata"`
	AdditionalData           map[string]string `json:"additionalData"`
	Channel                  string            `json:"channel"`
	BrowserInfo              *browserInfo      `json:"browserInfo"`
	AuthenticationData       *struct {
		AttemptAuthentication string `json:"attemptAuthentication"`
		ThreeDSRequestData    struct {
			NativeThreeDS string `json:"nativeThreeDS"`
		} `json:"threeDSRequestData"`
	} `json:"authenticationData"`
}

// browserInfo is required as a whole.
type browserInfo struct {
	AcceptHeader   string `json:"acceptHeader"`
	ColorDepth     *int   `json:"colorDepth"`
	JavaEnabled    *bool  `json:"javaEnabled"`
	Language       string `json:"language"`
	ScreenHeight   *int   `json:"screenHeight"`
	ScreenWidth    *int   `json:"screenWidth"`
	TimeZoneOffset *int   `json:"timeZoneOffset"`
	UserAgent      string `json:"userAgent"`
}

func (b *browserInfo) whole() bool {
	return b != nil && b.AcceptHeader != "" && b.ColorDepth != nil && b.JavaEnabled != nil && b.Language != "" &&
		b.ScreenHeight != nil && b.ScreenWidth != nil && b.TimeZoneOffset != nil && b.UserAgent != ""
}

// authenticates reports whether the payer is there and is to authenticate on a page.
func (in *paymentRequest) authenticates() bool {
	return in.RecurringProcessingModel == "CardOnFile" && in.AuthenticationData != nil &&
		in.AuthenticationData.AttemptAuthentication == "always"
}

type detailsRequest struct {
	Details struct {
		RedirectResult string `json:"redirectResult"`
	} `json:"details"`
}

type refundRequest struct {
	MerchantAccount string  `json:"merchantAccount"`
	Reference       string  `json:"reference"`
	Amount          *amount `json:"amount"`
}

type modificationRequest struct {
	MerchantAccount string `json:"merchantAccount"`
	Reference       string `json:"reference"`
}

type standaloneRequest struct {
	modificationRequest
	PaymentReference string `json:"paymentReference"`
}

// read decodes a body strictly: a field that Adyen has and this simulator lacks is refused, so that a test notices when
// an adapter begins to depend on something that is not imitated.
func read[T any](c *core.Call) *core.Answer {
	into := new(T)
	d := json.NewDecoder(bytes.NewReader(c.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return refuse(failure(http.StatusBadRequest, "702", "validation", "Unexpected input: "+err.Error()))
	}
	c.Input = into
	return nil
}

func input[T any](c *core.Call) *T {
	in, _ := c.Input.(*T)
	return in
}

// account refuses a merchant account that the key may not use.
func (d *Dialect) account(name string) *core.Answer {
	if name == "" || !allowed(d.config.MerchantAccounts, name) {
		return refuse(failure(http.StatusForbidden, "901", "security", "Invalid Merchant Account"))
	}
	return nil
}

// check reads what CheckoutService-v71 requires of a payment with a stored card.
func (d *Dialect) check(in *paymentRequest) *core.Answer {
	if refused := d.account(in.MerchantAccount); refused != nil {
		return refused
	}
	switch {
	case in.Amount == nil || len(in.Amount.Currency) != 3 || in.Amount.Value < 1:
		return refuse(invalid("137", "Invalid amount specified"))
	case in.Reference == "" || len(in.Reference) > 80:
		return refuse(invalid("130", "Reference Missing"))
	case in.ReturnURL == "":
		return refuse(invalid("14_030", "Return URL is missing."))
	case in.PaymentMethod == nil || in.PaymentMethod.Type != "scheme" || in.PaymentMethod.StoredPaymentMethodID == "":
		return refuse(invalid("14_004", "Missing payment method details"))
	case len(in.ShopperReference) < 3 || len(in.ShopperReference) > 256:
		return refuse(invalid("14_012", "Required field 'shopperReference' is missing or invalid."))
	case !slices.Contains([]string{"ContAuth", "Ecommerce"}, in.ShopperInteraction):
		return refuse(invalid("14_011", "Invalid shopperInteraction"))
	case !slices.Contains([]string{"Subscription", "CardOnFile", "UnscheduledCardOnFile"}, in.RecurringProcessingModel):
		return refuse(invalid("14_013", "Invalid recurringProcessingModel"))
	case in.authenticates() && (in.Channel != "Web" || !in.BrowserInfo.whole()):
		return refuse(invalid("14_032", "Required object 'browserInfo' is not provided."))
	}
	return nil
}

func (d *Dialect) paymentMethods(c *core.Call) core.Answer {
	if refused := d.account(input[methodsRequest](c).MerchantAccount); refused != nil {
		return *refused
	}
	return core.Answer{Status: http.StatusOK, Body: map[string]any{
		"paymentMethods": []any{map[string]any{"name": "Cards", "type": "scheme", "brands": []string{"visa", "mc"}}},
	}}
}
