package usecase

import (
	"perennial/billing/fault"
	"perennial/internal/vault"
	"perennial/service/gateway"
)

// DefaultPriority is the priority of a backup for which none was chosen.
const DefaultPriority = 100

// Account becomes the environment's primary provider configuration.
type Account struct {
	Provider    string // "stripe"
	Credentials gateway.Credentials
}

// NeedsVault refuses an operator's command where there is no key-encryption key. Fault: kek_missing.
func NeedsVault(keys *vault.Vault) error {
	if keys == nil {
		return fault.New(fault.Invalid, "kek_missing",
			"PERENNIAL_KEK is not set, so credentials cannot be encrypted. "+
				"Set it to the value that the API and the workers use. Only a new installation makes one, with `perennial key kek`.")
	}
	return nil
}
