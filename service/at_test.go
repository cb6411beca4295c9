package service

import (
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func at(s *scene.Scene) (*Service, usecase.Caller) {
	return New(s.Store, s.Clock.Now), usecase.Caller{
		Actor: db.BySystem("test"), EnvironmentID: s.Env, Mode: apikey.Test, TimeZone: "UTC",
	}
}
