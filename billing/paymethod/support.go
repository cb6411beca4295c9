// Package paymethod owns what accounts at providers do with a payment method, and whether a customer can pay and renew
// with it. It does not own how an account is asked (providers, service/gateway).
package paymethod

import "perennial/billing/money"

// Renewal is the way in which a payment method can be charged in its owner's absence.
type Renewal string

// The ways.
const (
	RenewalUnattended Renewal = "unattended" // nobody has to do anything
	RenewalPrompt     Renewal = "prompt"     // a prompt reaches the payer, who confirms it
	RenewalImpossible Renewal = "impossible" // the payer would have to begin it
)

// Support is an account's support of a payment method.
type Support struct {
	Accepted bool
	Renewal  Renewal
	// Reason says, for people, why the method is not accepted or cannot renew.
	Reason string
	// Field is the field that Reason is about where the method is not accepted; empty: FieldMethod.
	Field Field
	// Known are the types of method that would be accepted instead, where they can be listed.
	Known []string
	// Currencies are those in which the method is charged; empty: no restriction.
	Currencies []money.Currency
	// ByAccount: accounts differ, so that only an account's adapter knows for sure.
	ByAccount bool
}

// Field is a part of a payment method.
type Field string

// The parts that can be wrong.
const (
	FieldMethod Field = "type"
	FieldPhone  Field = "phoneNumber"
)
