// Package usecase runs use cases of package service for operations: who asks, how many at once, and what httpkit does
// in their transaction. It knows no column.
package usecase

import (
	"context"
	"time"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
	"perennial/db"
	"perennial/internal/telemetry"
	"perennial/service"
	"perennial/service/usecase"
)

// Deps are the dependencies of the columns.
type Deps struct {
	Kit       *httpkit.Kit
	Store     *db.Store // for reading
	Service   *service.Service
	Gate      *Gate
	Telemetry *telemetry.Telemetry
	Now       func() time.Time // the real clock
}

// Caller returns the principal as services see it.
func Caller(c *httpkit.Call) usecase.Caller {
	return usecase.Caller{Actor: c.Actor(), EnvironmentID: c.EnvironmentID, Mode: c.Mode, TimeZone: c.TimeZone}
}

// Around has the callbacks of Command for a use case.
type Around[R any] = usecase.Around[R]

// Performed is the result of a command of package lifecycle.
type Performed = usecase.Performed

// Then adds a second command on a subscription to the transaction of a first one.
func Then(
	ctx context.Context, by usecase.Caller, subscriptionID string, cmd lifecycle.Command, around Around[Performed],
) Around[Performed] {
	return usecase.Then(ctx, by, subscriptionID, cmd, around)
}

// Command runs a use case that changes what exists already: what httpkit does in its transaction is its Around.
func Command[R, T any](
	ctx context.Context, k *httpkit.Kit, c *httpkit.Call, status int, made func(R) httpkit.Made[T],
	perform func(around Around[R]) error, admit ...httpkit.Admission,
) (*httpkit.Reply[T], error) {
	return httpkit.Command(ctx, k, c, status, made, func(before func(*db.Tx) error, keep func(*db.Tx, R) error) error {
		return perform(Around[R]{Before: before, After: keep})
	}, admit...)
}
