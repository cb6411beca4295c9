package db

import "perennial/db/payments"

// Callers know these of package payments by the name of db.

type (
	AccountListing    = payments.AccountListing
	Callback          = payments.Callback
	Decision          = payments.Decision
	Dispute           = payments.Dispute
	DisputeFilter     = payments.DisputeFilter
	FormerCredentials = payments.FormerCredentials
	LookedAt          = payments.LookedAt
	LostCallback      = payments.LostCallback
	OpenBreaker       = payments.OpenBreaker
	PausedCharging    = payments.PausedCharging
	ProviderCall      = payments.ProviderCall
	ProviderConfig    = payments.ProviderConfig
	Sealed            = payments.Sealed
	SealedCredentials = payments.SealedCredentials
	Searched          = payments.Searched
	Settlement        = payments.Settlement
	TransactionFilter = payments.TransactionFilter
	TransactionRef    = payments.TransactionRef
	UnansweredDispute = payments.UnansweredDispute
	WaitingMoney      = payments.WaitingMoney
)

const (
	CallCancel       = payments.CallCancel
	CallCharge       = payments.CallCharge
	CallComplete     = payments.CallComplete
	CallCutOff       = payments.CallCutOff
	CallLookup       = payments.CallLookup
	CallRefund       = payments.CallRefund
	CallRefundLookup = payments.CallRefundLookup
	SecretOverlap    = payments.SecretOverlap
)
