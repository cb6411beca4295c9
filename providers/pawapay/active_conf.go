package pawapay

import (
	"context"
	"encoding/json"

	"perennial/billing/money"
)

const confPath = "/v2/active-conf?operationType=DEPOSIT"

// activeConf is the configuration that pawaPay has activated for the account. Only deposits are requested.
type activeConf struct {
	CompanyName string `json:"companyName"`
	Countries   []struct {
		Providers []struct {
			Provider   string `json:"provider"`
			Currencies []struct {
				Currency       string         `json:"currency"`
				OperationTypes operationTypes `json:"operationTypes"`
			} `json:"currencies"`
		} `json:"providers"`
	} `json:"countries"`
}

// operationTypes is an object by pawaPay's reference, and a list of such objects in some of its examples.
type operationTypes struct {
	Deposit *depositConf `json:"DEPOSIT"`
}

// UnmarshalJSON accepts both forms.
func (o *operationTypes) UnmarshalJSON(raw []byte) error {
	type plain operationTypes
	if raw[0] != '[' {
		return json.Unmarshal(raw, (*plain)(o))
	}
	var list []plain
	err := json.Unmarshal(raw, &list)
	for _, entry := range list {
		if entry.Deposit != nil {
			o.Deposit = entry.Deposit
		}
	}
	return err
}

type depositConf struct {
	AuthType         authType `json:"authType"`
	DecimalsInAmount string   `json:"decimalsInAmount"` // NONE, TWO_PLACES
	MinAmount        string   `json:"minAmount"`
	MaxAmount        string   `json:"maxAmount"`
	Status           string   `json:"status"` // OPERATIONAL, DELAYED, CLOSED
}

// terms are an operator's terms in one currency.
type terms struct {
	auth     authType
	decimals int
	closed   bool
	min, max money.Minor // zero: not known
}

type market struct {
	operator string
	currency money.Currency
}

// conditions are the terms of every market of the account; nil: they could not be read yet.
type conditions map[market]terms

// conditions returns what pawaPay has activated, from a copy of bounded age. Where it cannot be read, the last copy
// stays in use: the answer to the charge decides then, and to refuse it beforehand would stop money for nothing.
func (p *PawaPay) conditions(ctx context.Context) conditions {
	return p.conf.Get(ctx, func(ctx context.Context) (conditions, bool) { return readConf(p.get(ctx, confPath)) })
}

// readConf turns pawaPay's configuration into conditions. Amounts that cannot be read are left to pawaPay to check.
func readConf(x exchange) (conditions, bool) {
	conf, ok := decode[activeConf](x)
	if !ok || x.status != 200 || conf.Countries == nil {
		return nil, false
	}
	active := conditions{}
	for _, country := range conf.Countries {
		for _, operator := range country.Providers {
			for _, c := range operator.Currencies {
				d := c.OperationTypes.Deposit
				currency, err := money.ParseCurrency(c.Currency)
				if d == nil || err != nil {
					continue
				}
				t := terms{auth: d.AuthType, closed: d.Status == "CLOSED"}
				if d.DecimalsInAmount == "TWO_PLACES" {
					t.decimals = 2
				}
				t.min, _, _ = fromWire(d.MinAmount, c.Currency)
				t.max, _, _ = fromWire(d.MaxAmount, c.Currency)
				active[market{operator.Provider, currency}] = t
			}
		}
	}
	return active, true
}
