package httpkit

import (
	"cmp"
	"context"
	"errors"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
)

// Loader fetches the key and the resource that an operation is about in one round trip. It returns the key also with
// an error about the resource, so that keys are judged before existence.
type Loader struct {
	fetch  func(ctx context.Context, hash []byte, id string) (db.APIKey, any, error)
	absent string // the code when there is no such resource
}

// ByID is the request of every operation on one resource; the loader has fetched what {id} names.
type ByID struct {
	ID string `path:"id" maxLength:"64" doc:"The id of the resource."`
}

// LoadByID returns a loader. A text without the shape of our ids is absent, like any other; absent is the fault of db
// for that.
func LoadByID[R any](
	k *Kit, prefix string, absent *fault.Error,
	fetch func(ctx context.Context, hash []byte, id string) (db.APIKey, R, error),
) Loader {
	load := func(ctx context.Context, hash []byte, resourceID string) (db.APIKey, any, error) {
		if !id.Is(prefix, resourceID) {
			key, err := k.store.KeyByHash(ctx, hash)
			return key, nil, cmp.Or(err, error(NotFound(absent)))
		}
		key, r, err := fetch(ctx, hash, resourceID)
		if errors.Is(err, absent) {
			err = NotFound(absent)
		}
		return key, r, err
	}
	return Loader{absent: absent.Code, fetch: load}
}

// Resource returns the resource that the operation's loader fetched.
func Resource[R any](c *Call) R { return c.resource.(R) }

// NotFound returns the refusal of an id that is absent here, whether or not it exists elsewhere. absent is the fault of
// db for that; callers of the API are told what to check instead.
func NotFound(absent *fault.Error) *fault.Error {
	return fault.New(fault.NotFound, absent.Code,
		"The resource does not exist in this environment. Check the id and the API key.")
}

// absent words a fault of db about an absent row as NotFound does. It leaves any other error as it is, such as a fault
// of the rules that says what an existing resource lacks. The fault names a field of the body that refers to the
// resource.
func absent(err error) error {
	if f := fault.From(err); f != nil && db.IsAbsentRow(f) {
		return NotFound(f).In(f.Param)
	}
	return err
}
