package tenancy

import (
	"context"
	"fmt"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/service"
	"perennial/service/tenancy"
)

// keyOf finds a key that an environment has; its ID is empty where there is none.
func keyOf(ctx context.Context, store *db.Store, k keyFlags) (db.KeyListing, error) {
	keys, err := store.Tenancy.Keys(ctx)
	if err != nil {
		return db.KeyListing{}, err
	}
	for _, key := range keys {
		if key.Tenant == k.tenant && key.App == k.app && key.Mode == k.mode && key.RevokedAt.IsZero() {
			return key, nil
		}
	}
	return db.KeyListing{}, nil
}

// keepKey makes no key, since there is one. Credentials that came with the command must equal the stored ones: if they
// were dropped silently, the user would believe that they are in use.
func keepKey(
	ctx context.Context, p *cli.Process, s *service.Service, keys *vault.Vault, key db.KeyListing, o tenancy.NewKey,
) error {
	if o.Account != nil {
		account, same, err := s.Tenancy.KeepsCredentials(ctx, keys, key.EnvironmentID, *o.Account)
		switch {
		case err != nil:
			return err
		case account == "":
			return fault.New(fault.Conflict, "provider_absent", "%s exists, and its environment has no payment provider. "+
				"The same command without --if-none adds the provider, with another key.", key.ID)
		case !same:
			return fault.New(fault.Conflict, "provider_exists", "%s exists, and its environment has other credentials in %s. "+
				"Replace them with `perennial provider update %s`, or give those that are stored.", key.ID, account, account)
		}
	}
	_, err := fmt.Fprintf(p.Stderr, "%s of %s, %s (%s) exists: %s. It was shown when it was made; "+
		"the same command without --if-none makes another one\n", key.ID, key.Tenant, key.App, key.Mode, key.Hint)
	return err
}
