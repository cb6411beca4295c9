package main

import (
	"context"

	"perennial/internal/vault"
)

// acceptCallbacks gives our side the secret that it checks signatures with.
func (r *rig) acceptCallbacks(ctx context.Context) error {
	keys, err := vault.New(r.stage.KEK)
	if err != nil {
		return err
	}
	sealed, err := r.stage.SealWithSecret(keys, callbackSecret)
	if err != nil {
		return err
	}
	_, err = r.ours.pool.Exec(ctx, `insert into provider_credentials values ($1, $2, $3, $4, $5, now())
		on conflict (environment_id, provider_config_id, version) do nothing`,
		r.stage.EnvironmentID, r.stage.ConfigID, sealed.Version, sealed.Fields, sealed.Sealed)
	return err
}
