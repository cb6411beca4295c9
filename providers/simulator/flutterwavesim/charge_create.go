package flutterwavesim

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

// chargeFields are common to both ways of charging.
type chargeFields struct {
	Amount      json.Number       `json:"amount"`
	Currency    string            `json:"currency"`
	Reference   string            `json:"reference"`
	RedirectURL string            `json:"redirect_url"`
	Meta        map[string]string `json:"meta"`
}

type cardRequest struct {
	chargeFields
	CustomerID      string `json:"customer_id"`
	PaymentMethodID string `json:"payment_method_id"`
	Recurring       bool   `json:"recurring"`
}

var reference = regexp.MustCompile(`^[A-Za-z0-9-]{6,42}$`)

// toMinor reads an amount of at most two decimals; ok: it is one.
func toMinor(n json.Number, currency string) (minor int64, ok bool) {
	c, err := money.ParseCurrency(currency)
	d, _, bad := apd.NewFromString(string(n))
	if err != nil || bad != nil || len(n) > 30 {
		return 0, false
	}
	m, err := money.RoundDecimal(d, c)
	if err != nil || m <= 0 || apd.New(int64(m), -int32(c.Decimals())).Cmp(d) != 0 {
		return 0, false
	}
	for extra := c.Decimals() - 2; extra > 0; extra-- {
		if m%10 != 0 {
			return 0, false
		}
		m /= 10
	}
	m, _ = money.RoundDecimal(d, c)
	return int64(m), true
}

// begin makes the charge that both ways have in common.
func (s *Dialect) begin(c *core.Call, in chargeFields) (*charge, *core.Answer) {
	amount, ok := toMinor(in.Amount, in.Currency)
	switch {
	case !ok:
		return nil, refuse(invalid("amount", "must be a positive number that the currency can express"))
	case !reference.MatchString(in.Reference):
		return nil, refuse(invalid("reference", "must have 6 to 42 characters"))
	}
	return &charge{
		ID: newID("chg_"), Amount: amount, Wire: string(in.Amount), Created: s.server.Now().UTC().Truncate(time.Millisecond),
		Currency: in.Currency, Key: c.Header.Get("X-Idempotency-Key"), Live: c.Live, Meta: in.Meta,
		Processor: "pending", Code: "02", RedirectURL: in.RedirectURL, Reference: in.Reference, Status: pending,
	}, nil
}

// cardOf returns the behaviour of a charge of a saved card.
func (s *Dialect) cardOf(c *core.Call) (behaviour, bool) {
	in, isCard := c.Input.(*cardRequest)
	if !isCard {
		return behaviour{}, false
	}
	b, known := s.state.scriptOf(in.CustomerID, in.PaymentMethodID)
	if !known {
		b, known = behaviourNamed(in.PaymentMethodID)
	}
	return b.withScenario(c.Header.Get("X-Scenario-Key")), known
}

func (s *Dialect) cardDelay(c *core.Call) time.Duration {
	b, _ := s.cardOf(c)
	return b.delay
}

// chargeCard charges a saved card without its owner.
func (s *Dialect) chargeCard(c *core.Call) core.Answer {
	in := c.Input.(*cardRequest) //nolint:forcetypeassert // readBody made it
	ch, refused := s.begin(c, in.chargeFields)
	if refused != nil {
		return *refused
	}
	if !strings.HasPrefix(in.CustomerID, "cus_") || strings.HasPrefix(in.CustomerID, "cus_missing") {
		return missing("Customer")
	}
	b, known := s.cardOf(c)
	switch {
	case !known:
		return missing("Payment method")
	case !in.Recurring:
		return invalid("recurring", "must be true: the simulator charges cards without their owners only")
	case b.refuse:
		return overloaded()
	}
	ch.Method, ch.Customer, ch.Refunds = "card", in.CustomerID, b.refunds
	switch {
	case b.pending:
		ch.Next = b.next
		s.settleLater(ch, b)
	case b.declined != "":
		ch = ch.settled(b.declined)
	default:
		ch = ch.settled("approved")
	}
	return s.answer(ch, b)
}

func (s *Dialect) settleLater(ch *charge, b behaviour) {
	if b.to == "" {
		return
	}
	at := s.server.Now().UTC().Add(b.after)
	ch.SettleAt, ch.SettleTo = &at, "approved"
	if b.to != succeeded {
		ch.SettleTo = "do_not_honor"
	}
}

// answer returns the answer to a new charge by its behaviour, or none.
func (s *Dialect) answer(ch *charge, b behaviour) core.Answer {
	a := success(http.StatusCreated, ch.render())
	if b.fail500 {
		a = s.Refuse(core.Broken, "")
	}
	a.Remember, a.Hang = true, b.hang
	if b.hang && b.dropped {
		a.Remember = false
	}
	if !b.dropped {
		a.Effect = s.chargeEffect(ch, s.about(ch, false)...)
	}
	return a
}
