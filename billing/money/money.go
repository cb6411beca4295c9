// Package money owns amounts: integers in ISO 4217 minor units, their currencies, and the one rounding rule.
package money

// Minor is an amount in minor units of some currency (cents for USD, whole francs for XAF).
type Minor int64

// Currency is an ISO 4217 code in upper case.
type Currency string
