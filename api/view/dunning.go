package view

import "perennial/billing/dunning"

// Dunning is the form of a dunning policy, which records of moving share.
type Dunning = dunning.Dunning

// FailureRule is one of its rules.
type FailureRule = dunning.FailureRule

// MinimumAmount is one of its minimums.
type MinimumAmount = dunning.MinimumAmount

// RenderDunning shows a policy as a request would set it.
func RenderDunning(p dunning.Policy) Dunning { return dunning.Form(p) }
