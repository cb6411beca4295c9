package db

import "perennial/db/customers"

// Callers know these of package customers by the name of db.

type (
	BalanceEntry   = customers.BalanceEntry
	Credit         = customers.Credit
	CreditGrant    = customers.CreditGrant
	CustomerFilter = customers.CustomerFilter
	DueGrant       = customers.DueGrant
	ExpiringMethod = customers.ExpiringMethod
	OverdueSweep   = customers.Sweep
	GrantTally     = customers.GrantTally
	MethodOwner    = customers.MethodOwner
	MethodTally    = customers.MethodTally
	StuckErasure   = customers.StuckErasure
)
