package pawapay

import (
	"fmt"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

const (
	// closedWait is the advised wait while an operator is closed.
	closedWait = time.Minute
	// activationWait is the advised wait for pawaPay to activate something for the account: people do it.
	activationWait = time.Hour
)

// termsOf returns the terms on which a wallet pays in a currency. refused is set where the account's configuration
// shows that pawaPay would refuse the charge now: it was not sent, so another provider may take it.
func (w wallet) termsOf(known conditions, c money.Currency) (t terms, refused *providers.Result, err error) {
	decimals, usual := w.decimals[c]
	t, active := known[market{w.code, c}]
	if !usual && !active {
		return t, nil, fault.InvalidParam("paymentMethod", "payment_method_currency_mismatch",
			"A wallet at %s pays in %s, not in %s. Use a plan in that currency or another payment method.",
			w.code, w.currencies(), c)
	}
	if !active {
		t = terms{auth: w.auth, decimals: decimals}
	}
	if err := renewable(w.code, t.auth); err != nil {
		return t, nil, err
	}
	switch {
	case known != nil && !active:
		refused = notSent("This pawaPay account takes no deposits in %s from %s. Ask pawaPay to activate them.", c, w.code)
		refused.RetryAfter = activationWait
		return t, refused, nil
	case t.closed:
		refused = notSent("pawaPay says that %s takes no deposits at the moment.", w.code)
		refused.RetryAfter = closedWait
		return t, refused, nil
	}
	return t, nil, nil
}

func notSent(format string, args ...any) *providers.Result {
	return &providers.Result{Outcome: providers.NotSent, NotOffered: true, FailureReason: fmt.Sprintf(format, args...)}
}

// outOfBounds is the answer to an amount that the operator does not take, nil where it does or its bounds are unknown.
// It is final, as pawaPay's own refusal of such an amount is: to ask for it again cannot help.
func (t terms) outOfBounds(amount money.Minor, c money.Currency, operator string) *providers.Result {
	if amount >= t.min && (t.max == 0 || amount <= t.max) {
		return nil
	}
	bounds := "at least " + money.Format(t.min, c)
	if t.max != 0 {
		bounds += " and at most " + money.Format(t.max, c)
	}
	return &providers.Result{
		Outcome: providers.Failed, FailureCode: providers.DeclinedCode,
		FailureReason: fmt.Sprintf("%s takes %s in one payment, not %s.", operator, bounds, money.Format(amount, c)),
	}
}
