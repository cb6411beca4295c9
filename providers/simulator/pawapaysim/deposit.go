package pawapaysim

import (
	"net/http"
	"time"

	"perennial/providers/simulator/core"
)

type depositRequest struct {
	DepositID string `json:"depositId"`
	Amount    string `json:"amount"`
	Currency  string `json:"currency"`
	Payer     struct {
		Type           string `json:"type"`
		AccountDetails struct {
			PhoneNumber string `json:"phoneNumber"`
			Provider    string `json:"provider"`
		} `json:"accountDetails"`
	} `json:"payer"`
	ClientReferenceID    string           `json:"clientReferenceId"`
	CustomerMessage      string           `json:"customerMessage"`
	PreAuthorisationCode string           `json:"preAuthorisationCode"`
	SuccessfulURL        string           `json:"successfulUrl"`
	FailedURL            string           `json:"failedUrl"`
	Metadata             []map[string]any `json:"metadata"`
}

// createDeposit looks for a duplicate once the request is well formed, and only then asks the operator.
func (d *Dialect) createDeposit(c *core.Call) core.Answer {
	in := c.Input.(*depositRequest) //nolint:forcetypeassert // read by readDeposit
	if d.state.deposits[in.DepositID] != nil {
		return ok(map[string]any{"depositId": in.DepositID, "status": "DUPLICATE_IGNORED"})
	}
	rejected := func(code, message string) core.Answer {
		return ok(map[string]any{"depositId": in.DepositID, "status": "REJECTED", "failureReason": reason{code, message}})
	}
	details := in.Payer.AccountDetails
	number := details.PhoneNumber
	o, code, message := d.checkMarket(in.Amount, in.Currency, details.Provider, number)
	if code != "" {
		return rejected(code, message)
	}
	suffix := number[len(number)-suffixDigits:]
	b := d.behaviour(suffix)
	switch {
	case b.refuse != "":
		return rejected(b.refuse, "The operator does not answer.")
	case d.state.scripts[o.code] == closed:
		return rejected("PROVIDER_TEMPORARILY_UNAVAILABLE", "The operator is closed.")
	case b.dropped:
		return d.Refuse(core.Broken, "")
	}
	x := &deposit{
		ID: in.DepositID, Amount: in.Amount, Currency: in.Currency, Operator: o.code, Suffix: suffix,
		Reference: in.ClientReferenceID, Message: in.CustomerMessage, Metadata: flat(in.Metadata),
		Created: d.server.Now().UTC().Truncate(time.Microsecond), Live: c.Live, Status: accepted,
	}
	d.expect(x, b)
	a := ok(map[string]any{
		"depositId": x.ID, "status": accepted, "nextStep": "FINAL_STATUS", "created": x.Created.Format(time.RFC3339),
	})
	if b.unknown {
		a = d.Refuse(core.Broken, "")
	}
	a.Effect = &core.Effect{Kind: depositChanged, Change: &record{Deposit: x}}
	return a
}

// expect schedules the end of a deposit: soon, when its prompt closes, or never.
func (d *Dialect) expect(x *deposit, b behaviour) {
	at, to := d.server.Now().Add(d.config.Latency), b.settle
	switch {
	case b.status != "":
		x.Status = b.status
		return
	case to == "":
		at, to = d.server.Now().Add(d.config.PromptLife), "PAYMENT_NOT_APPROVED"
	}
	at = at.UTC()
	x.SettleAt, x.SettleTo = &at, to
}

// armDeposit schedules the end of a deposit, so that its callback is sent without a request.
func (d *Dialect) armDeposit(x *deposit) {
	if x.SettleAt == nil {
		d.server.Unschedule(x.ID)
		return
	}
	d.server.Schedule(x.ID, *x.SettleAt, func() *core.Effect {
		_, e := d.settleDeposit(d.state.deposits[x.ID], x.SettleTo)
		return e
	})
}

// settleDeposit ends a deposit: completed, or with the code of a failure.
func (d *Dialect) settleDeposit(x *deposit, to string) (*deposit, *core.Effect) {
	next := *x
	next.SettleAt, next.SettleTo = nil, ""
	e := &core.Effect{Kind: depositChanged, Change: &record{Deposit: &next}}
	if to == completed {
		next.Status, e.Kind = completed, core.Capture
		e.Movements = []core.Movement{next.movement(core.Capture)}
	} else {
		next.Status, next.FailureCode = failed, to
	}
	e.Messages = []core.Message{next.message()}
	return &next, e
}

func (d *Dialect) getDeposit(c *core.Call) core.Answer {
	x := d.state.deposits[c.PathValue("id")]
	if x == nil || x.Live != c.Live {
		return ok(map[string]any{"status": "NOT_FOUND"})
	}
	return ok(map[string]any{"status": "FOUND", "data": x.render()})
}

func (d *Dialect) resendCallback(c *core.Call) core.Answer {
	x := d.state.deposits[c.PathValue("id")]
	if x == nil || (x.Status != completed && x.Status != failed) {
		return core.Answer{Status: http.StatusOK, Body: map[string]any{
			"depositId": c.PathValue("id"), "status": "REJECTED",
			"failureReason": reason{"NOT_FOUND", "There is no such deposit in a final status."},
		}}
	}
	a := ok(map[string]any{"depositId": x.ID, "status": accepted})
	a.Effect = &core.Effect{Kind: "resend", Messages: []core.Message{x.message()}}
	return a
}
