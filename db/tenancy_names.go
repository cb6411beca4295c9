package db

import "perennial/db/tenancy"

// Callers know these of package tenancy by the name of db.

type (
	APIKeyFilter = tenancy.APIKeyFilter
	App          = tenancy.App
	AuditFilter  = tenancy.AuditFilter
	Environment  = tenancy.Environment
	KeyListing   = tenancy.KeyListing
	ManagedKey   = tenancy.ManagedKey
	NewAPIKey    = tenancy.NewAPIKey
	Tenant       = tenancy.Tenant
	Unsealed     = tenancy.Unsealed
)

var (
	ErrAuditEntryNotFound = tenancy.ErrAuditEntryNotFound
)
