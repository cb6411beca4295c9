package api

import (
	"perennial/api/httpkit"
	"perennial/service"
)

// caller is the principal as services see it.
func caller(c *httpkit.Call) service.Caller {
	return service.Caller{Actor: c.Actor(), EnvironmentID: c.EnvironmentID, Mode: c.Mode, TimeZone: c.TimeZone}
}
