package pawapaysim

import (
	"net/http"
	"strings"

	"perennial/providers/simulator/core"
)

// Endpoints is all of pawaPay that the simulator imitates.
func (d *Dialect) Endpoints() map[string]core.Endpoint {
	return map[string]core.Endpoint{
		"POST /v2/deposits":                      {Read: readBody(checkDeposit), Run: d.createDeposit},
		"GET /v2/deposits/{id}":                  {Run: d.getDeposit},
		"POST /v2/deposits/resend-callback/{id}": {Run: d.resendCallback},
		"POST /v2/refunds":                       {Read: readBody(checkRefund), Run: d.createRefund},
		"GET /v2/refunds/{id}":                   {Run: d.getRefund},
		"GET /v2/active-conf": {Run: func(c *core.Call) core.Answer {
			return ok(d.activeConf(c.Query.Get("country")))
		}},
		"POST /v2/predict-provider": {
			Read: readBody(func(*prediction) (code, message string) { return "", "" }), Run: predict,
		},
		"GET /v2/public-key/http": {Open: true, Run: func(*core.Call) core.Answer { return ok(publishedKeys()) }},
	}
}

type prediction struct {
	PhoneNumber string `json:"phoneNumber"`
}

// predict returns one operator of a country: only the operators know the network of a number.
func predict(c *core.Call) core.Answer {
	in := c.Input.(*prediction) //nolint:forcetypeassert // read by readBody
	number := strings.NewReplacer("+", "", " ", "").Replace(in.PhoneNumber)
	if numberForm.MatchString(number) {
		for _, o := range operators {
			if strings.HasPrefix(number, o.calling) {
				return ok(map[string]any{"country": o.country, "provider": o.code, "phoneNumber": number})
			}
		}
	}
	return failure(http.StatusBadRequest, "INVALID_PHONE_NUMBER", "No operator is known for this number.")
}
