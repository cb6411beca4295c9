package emits

import (
	"crypto/rand"

	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/service/tenancy"
	"perennial/service/usecase"
)

// keys set the scene of the requests about API keys.
var keys = map[string]func(*stage) func() error{
	"createAPIKey": func(s *stage) func() error {
		s.ownKey()
		return func() error {
			_, err := s.service.Tenancy.CreateAPIKey(s.ctx, s.by, tenancy.APIKeyForm{Kind: apikey.Secret}, nil)
			return err
		}
	},
	"updateAPIKey": onKey(func(s *stage, keyID string) error {
		_, err := s.service.Tenancy.RenameAPIKey(s.ctx, s.by, keyID, "shop", nil)
		return err
	}),
	"rotateAPIKey": onKey(func(s *stage, keyID string) error {
		return s.service.Tenancy.RotateAPIKey(s.ctx, s.by, keyID, 0, usecase.Around[tenancy.APIKey]{})
	}),
	"revokeAPIKey": onKey(func(s *stage, keyID string) error {
		return s.service.Tenancy.RevokeAPIKey(s.ctx, s.by, keyID, usecase.Around[tenancy.APIKey]{})
	}),
}

// ownKey gives the stage's caller a key that is stored.
func (s *stage) ownKey() {
	s.t.Helper()
	s.by.Actor = db.ByKey(id.New(id.APIKey, s.Clock.Now())).Doing(db.Call{Operation: "test"})
	s.must(s.Store.InTx(s.ctx, db.BySystem("test"), s.Clock.Now(), func(tx *db.Tx) error {
		return tx.Tenancy.InsertAPIKey(s.ctx, s.Env, db.NewAPIKey{
			ID: s.by.Actor.ID(), Kind: string(apikey.Secret), Hash: apikey.Hash(rand.Text()), Scopes: []string{"*"},
		})
	}))
}

// onKey performs a request about a key that exists.
func onKey(do func(s *stage, keyID string) error) func(*stage) func() error {
	return func(s *stage) func() error {
		s.ownKey()
		made, err := s.service.Tenancy.CreateAPIKey(s.ctx, s.by, tenancy.APIKeyForm{Kind: apikey.Secret}, nil)
		return func() error {
			if err != nil {
				return err
			}
			return do(s, made.ID)
		}
	}
}
