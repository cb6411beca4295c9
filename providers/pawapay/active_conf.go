package pawapay

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"perennial/billing/money"
)

const (
	confPath = "/v2/active-conf?operationType=DEPOSIT"
	// confLife bounds how long a copy of the configuration is used before it is read again, and confRetry how soon that
	// is repeated where it failed.
	confLife  = 5 * time.Minute
	confRetry = 30 * time.Second
	// confPatience bounds what a configuration that is slow to come may cost a charge.
	confPatience = 5 * time.Second
)

// activeConf is what pawaPay has activated for the account. Only deposits are asked for.
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

// terms are what an operator takes in one currency.
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

// conditions are the terms of every market of the account; nil: pawaPay has not told them yet.
type conditions map[market]terms

// confCache keeps the account's conditions. A timer tells their age, since only the program's entry has a clock.
type confCache struct {
	group singleflight.Group
	mu    sync.Mutex
	known conditions
	fresh bool
	due   *time.Timer // makes the copy old; nil: never read
}

func (c *confCache) get() (known conditions, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.expired():
		c.fresh = false
	default:
	}
	return c.known, c.fresh
}

func (c *confCache) expired() <-chan time.Time {
	if c.due == nil {
		return nil
	}
	return c.due.C
}

// put keeps what was read, or for a while longer what was known before.
func (c *confCache) put(told conditions, ok bool) conditions {
	c.mu.Lock()
	defer c.mu.Unlock()
	life := confRetry
	if ok {
		c.known, life = told, confLife
	}
	c.fresh, c.due = true, time.NewTimer(life)
	return c.known
}

// conditions returns what pawaPay has activated, from a copy of bounded age. Where it cannot be read, the last copy
// stays in use: the answer to the charge decides then, and to refuse it beforehand would stop money for nothing.
func (p *PawaPay) conditions(ctx context.Context) conditions {
	if known, fresh := p.conf.get(); fresh {
		return known
	}
	// One reading serves all charges that wait for it, so it must outlive the one that began it.
	read := p.conf.group.DoChan("", func() (any, error) {
		if known, fresh := p.conf.get(); fresh {
			return known, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), confPatience)
		defer cancel()
		told, ok := readConf(p.get(ctx, confPath))
		return p.conf.put(told, ok), nil
	})
	select {
	case r := <-read:
		known, _ := r.Val.(conditions)
		return known
	case <-ctx.Done():
		known, _ := p.conf.get()
		return known
	}
}

// readConf turns pawaPay's configuration into conditions. Amounts that cannot be read are left to pawaPay to check.
func readConf(x exchange) (conditions, bool) {
	conf, ok := decode[activeConf](x)
	if !ok || x.status != 200 || conf.Countries == nil {
		return nil, false
	}
	told := conditions{}
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
				told[market{operator.Provider, currency}] = t
			}
		}
	}
	return told, true
}
