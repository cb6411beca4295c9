package emits

import (
	"perennial/internal/apikey"
	"perennial/service"
)

// keys set the scene of the requests about API keys.
var keys = map[string]func(*stage) func() error{
	"createAPIKey": func(s *stage) func() error {
		return func() error {
			_, err := s.service.CreateAPIKey(s.ctx, s.by, service.APIKeyForm{Kind: apikey.Secret}, nil)
			return err
		}
	},
	"updateAPIKey": onKey(func(s *stage, id string) error {
		_, err := s.service.RenameAPIKey(s.ctx, s.by, id, "shop", nil)
		return err
	}),
	"rotateAPIKey": onKey(func(s *stage, id string) error {
		return s.service.RotateAPIKey(s.ctx, s.by, id, 0, service.Around[service.APIKey]{})
	}),
	"revokeAPIKey": onKey(func(s *stage, id string) error {
		return s.service.RevokeAPIKey(s.ctx, s.by, id, service.Around[service.APIKey]{})
	}),
}

// onKey performs a request about a key that exists.
func onKey(do func(s *stage, id string) error) func(*stage) func() error {
	return func(s *stage) func() error {
		made, err := s.service.CreateAPIKey(s.ctx, s.by, service.APIKeyForm{Kind: apikey.Secret}, nil)
		return func() error {
			if err != nil {
				return err
			}
			return do(s, made.ID)
		}
	}
}
