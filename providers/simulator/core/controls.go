package core

// Settlement is the way in which a test ends a pending operation.
type Settlement string

// The settlements.
const (
	Succeed Settlement = "succeeded" // the payer approves
	Fail    Settlement = "failed"    // the payer or the issuer refuses
	Expire  Settlement = "expired"   // no reaction in time
)

// Controls are the actions of people and banks at a provider outside its API. Each is nil where the provider has no
// such action; the server then says so. A ref is the provider's reference or our own. Amounts are ISO minor units; zero
// is the whole rest. An Answer with a status other than 200 refuses.
type Controls struct {
	Settle       func(ref string, to Settlement) Answer
	SettleRefund func(ref string, to Settlement) Answer // also ends a refund that had succeeded: it comes back
	Refund       func(ref string, amount int64) Answer  // at the dashboard
	Dispute      func(ref string, amount int64, inquiry bool) Answer
	CloseDispute func(ref string, won bool) Answer
	// Script makes a payment method (or a customer's) behave like another from now on; an empty behaviour ends it.
	Script func(s Script) Answer
	// Message is one more callback about an object in its present state; without a type that of the state.
	Message func(ref, kind string) (Message, bool)
}

// Script is a change of behaviour.
type Script struct {
	Token     string `json:"token"`
	Behaviour string `json:"behaviour"`
	Customer  string `json:"customer,omitempty"`
}

// Done is the answer of a control.
func Done(body any, e *Effect) Answer { return Answer{Status: 200, Body: body, Effect: e} }

// Conflict refuses a control: there is no such object in that state.
func Conflict(message string) Answer {
	return Answer{Status: 409, Body: map[string]string{"error": message}}
}

// BadControl refuses a control that makes no sense.
func BadControl(message string) Answer {
	return Answer{Status: 400, Body: map[string]string{"error": message}}
}
