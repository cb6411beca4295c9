package pawapaysim

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

const suffixDigits = 3

var (
	amountForm  = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(\.[0-9]{1,2})?$`)
	messageForm = regexp.MustCompile(`^[A-Za-z0-9 ]{4,22}$`)
	numberForm  = regexp.MustCompile(`^[1-9][0-9]{7,14}$`)
)

// readBody decodes a body strictly: a test shall notice when an adapter begins to send a field that is not imitated.
func readBody[T any](check func(in *T) (code, message string)) func(c *core.Call) *core.Answer {
	return func(c *core.Call) *core.Answer {
		in := new(T)
		decoder := json.NewDecoder(bytes.NewReader(c.Body))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(in); err != nil {
			return refuse(failure(http.StatusBadRequest, "INVALID_INPUT", "The body cannot be read: "+err.Error()))
		}
		if code, message := check(in); code != "" {
			return refuse(core.Answer{Status: http.StatusBadRequest, Body: map[string]any{
				"status": "REJECTED", "failureReason": reason{code, message},
			}})
		}
		c.Input = in
		return nil
	}
}

func checkDeposit(in *depositRequest) (code, message string) {
	switch {
	case !isID(in.DepositID):
		return "INVALID_PARAMETER", "depositId must be a UUIDv4."
	case in.Payer.Type != "MMO":
		return "INVALID_PARAMETER", "payer.type must be MMO."
	case !amountForm.MatchString(in.Amount):
		return "INVALID_AMOUNT", "The amount is not of the form that is documented."
	case in.CustomerMessage != "" && !messageForm.MatchString(in.CustomerMessage):
		return "INVALID_PARAMETER", "customerMessage must have 4 to 22 letters, digits and spaces."
	case !numberForm.MatchString(in.Payer.AccountDetails.PhoneNumber):
		return "INVALID_PHONE_NUMBER", "The phone number must be an MSISDN without a plus sign."
	}
	return checkMetadata(in.Metadata)
}

func checkRefund(in *refundRequest) (code, message string) {
	switch {
	case !isID(in.RefundID), !isID(in.DepositID):
		return "INVALID_PARAMETER", "refundId and depositId must be UUIDv4s."
	case !amountForm.MatchString(in.Amount):
		return "INVALID_AMOUNT", "The amount is not of the form that is documented."
	}
	return checkMetadata(in.Metadata)
}

// isID is strict about the version, since pawaPay's documents name it.
func isID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s && id.Version() == 4
}

func checkMetadata(list []map[string]any) (code, message string) {
	if len(list) > 10 {
		return "INVALID_PARAMETER", "There may be at most 10 metadata fields."
	}
	seen := map[string]bool{}
	for _, entry := range list {
		n := 0
		for name := range entry {
			if name == "isPII" {
				continue
			}
			if n++; seen[name] {
				return "DUPLICATE_METADATA_FIELD", "A metadata field occurs twice."
			}
			seen[name] = true
		}
		if n != 1 {
			return "INVALID_PARAMETER", "Each metadata entry has one key."
		}
	}
	return "", ""
}

// flat is metadata as it comes back: one object.
func flat(list []map[string]any) map[string]string {
	out := map[string]string{}
	for _, entry := range list {
		for name, value := range entry {
			if s, isText := value.(string); isText {
				out[name] = s
			}
		}
	}
	return out
}

// checkMarket refuses what the operator would refuse: an unknown market, another country's number, an amount it cannot
// take.
func (d *Dialect) checkMarket(amount, currency, code, number string) (o operator, refusal, message string) {
	o, known, found := operatorOf(code, currency)
	_, fraction, _ := strings.Cut(amount, ".")
	value := minor(amount, currency)
	switch {
	case !known:
		return o, "INVALID_PROVIDER", "The account has no such operator."
	case !found:
		return o, "INVALID_CURRENCY", "The operator does not pay in this currency."
	case !strings.HasPrefix(number, o.calling):
		return o, "INVALID_PHONE_NUMBER", "The phone number is of another country."
	case o.auth != providerAuth:
		return o, "MISSING_PARAMETER", "This operator needs an authorisation that the simulator does not imitate."
	case len(fraction) > o.decimals:
		return o, "INVALID_AMOUNT", "The operator takes fewer decimals."
	case value < minor(o.min, currency), value > minor(o.max, currency), value == money.Minor(0):
		return o, "AMOUNT_OUT_OF_BOUNDS", "The amount is not between " + o.min + " and " + o.max + "."
	}
	return o, "", ""
}
