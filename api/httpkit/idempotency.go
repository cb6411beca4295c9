package httpkit

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/db"
)

const maxIdempotencyKey = 255

var (
	errKeyReused = fault.New(fault.Invalid, "idempotency_key_reused",
		"This Idempotency-Key was used for a request with another body. "+
			"Use a new key for a new request.").In("Idempotency-Key")
	errInFlight = fault.New(fault.Conflict, "idempotency_in_flight",
		"A request with this Idempotency-Key is still in progress. "+
			"Repeat the request later.").In("Idempotency-Key").After(time.Second)
	errErased = fault.New(fault.Gone, "answer_erased",
		"The stored response was erased with the customer that it describes. "+
			"The request was performed and is not repeated. Use a new Idempotency-Key for a new request.")
)

// repeatable identifies a request: its route, its key and its contents.
type repeatable struct {
	route       string // without prefix: /api and /v1 are the same endpoint
	key         string
	fingerprint []byte
}

// parseIdempotencyKey returns nil where the request has no key.
func parseIdempotencyKey(r *http.Request, prefixes []string, payload []byte) (*repeatable, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return nil, nil
	}
	key := values[0]
	invisible := strings.ContainsFunc(key, func(c rune) bool { return c < '!' || c > '~' })
	if len(values) > 1 || key == "" || len(key) > maxIdempotencyKey || invisible {
		return nil, fault.InvalidParam("Idempotency-Key", "header_malformed",
			"The Idempotency-Key header is malformed. "+
				"Send one key of 1 to %d visible ASCII characters.", maxIdempotencyKey)
	}
	return &repeatable{
		route: r.Method + " " + withoutPrefix(r.URL.Path, prefixes), key: key, fingerprint: fingerprint(payload),
	}, nil
}

func withoutPrefix(path string, prefixes []string) string {
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(path, prefix+"/"); ok {
			return "/" + rest
		}
	}
	return path
}

// fingerprint hashes the contents of a body: clients that retry may well write the same fields in another order.
func fingerprint(payload []byte) []byte {
	var v any
	dec := json.NewDecoder(reader(payload))
	dec.UseNumber()
	if dec.Decode(&v) == nil {
		payload, _ = json.Marshal(v) // object keys are sorted; a decoded value can be encoded
	}
	sum := sha256.Sum256(payload)
	return sum[:]
}

// row returns the row about the request and, where there is one, its answer.
func (rp *repeatable) row(st stored) db.IdempotencyKey {
	return db.IdempotencyKey{
		Route: rp.route, Key: rp.key, Fingerprint: rp.fingerprint, StatusCode: st.status, Response: st.raw,
		CustomerID: st.customerID,
	}
}

// stored is an answer that an earlier request with the same key was given.
type stored struct {
	status     int
	raw        []byte
	customerID string // whose erasure takes it along
}

// replay makes a stored answer the answer to this request, to the byte.
func replay[T any](st *stored) (*Reply[T], error) {
	if st.status >= http.StatusBadRequest {
		return nil, &Problem{Status: st.status, stored: st.raw, header: http.Header{"Idempotent-Replayed": {"true"}}}
	}
	return &Reply[T]{Status: st.status, Replayed: "true", Body: body[T]{raw: st.raw}}, nil
}

func replayOr[T any](st *stored, err error) (*Reply[T], error) {
	if err != nil {
		return nil, err
	}
	if st == nil {
		return nil, errInFlight
	}
	return replay[T](st)
}

// answered looks for the stored answer to a request with a key; nil: there is none yet.
func (k *Kit) answered(ctx context.Context, c *Call) (*stored, error) {
	row, found, err := k.store.IdempotencyKey(ctx, c.EnvironmentID, c.repeat.route, c.repeat.key)
	if err != nil || !found {
		return nil, err
	}
	return c.repeat.read(row)
}

// read judges a row of the same route and key.
func (rp *repeatable) read(row db.IdempotencyKey) (*stored, error) {
	switch {
	// The fingerprint is compared first: who does not know the body learns nothing about the request,
	// not even that it was erased.
	case subtle.ConstantTimeCompare(row.Fingerprint, rp.fingerprint) != 1:
		return nil, errKeyReused
	case !row.ErasedAt.IsZero():
		return nil, errErased
	default:
		return &stored{status: row.StatusCode, raw: row.Response}, nil
	}
}

// idIn is the id of the resource that an answer shows; empty: it shows none.
func idIn(raw []byte) string {
	var shown struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(raw, &shown) // a list, for one, has none
	return shown.ID
}

// Made is the answer of a creating request.
// CustomerID is whose erasure takes the stored answer along; empty: it tells nothing personal.
type Made[T any] struct {
	Resource   T
	CustomerID string
	// Repeats is the resource in the answers to repeats, which is stored, where it differs from Resource: a secret is
	// shown once and never stored. Nil: Resource.
	Repeats *T
}

// stored is the answer as repeats are given it.
func (m Made[T]) stored(out *Reply[T]) stored {
	st := stored{status: out.Status, raw: out.Body.raw, customerID: m.CustomerID}
	if m.Repeats != nil {
		st.raw = encode(*m.Repeats)
	}
	return st
}

// Create runs a request whose whole effect is one transaction of a use case: perform, which calls keep at the end of
// that transaction, with its result. The answer is rendered and stored there, so that a repeat, also after a crash,
// gets the committed answer; a concurrent repeat waits for it and then reads it.
func Create[R, T any](
	ctx context.Context, k *Kit, c *Call, status int, render func(R) Made[T],
	perform func(keep func(*db.Tx, R) error) error,
) (*Reply[T], error) {
	leave, _, err := k.inTurn(ctx, c)
	if err != nil {
		return nil, err
	}
	defer leave()
	if c.repeat != nil {
		if st, err := k.answered(ctx, c); st != nil || err != nil {
			return replayOr[T](st, err)
		}
	}
	var out *Reply[T]
	err = perform(func(tx *db.Tx, result R) error {
		m := render(result)
		out = answer(status, m.Resource)
		tx.AuditMade(idIn(out.Body.raw))
		// Without a key nothing is stored, and a repeat is another request.
		if c.repeat == nil {
			return nil
		}
		return tx.InsertAnsweredIdempotency(ctx, c.EnvironmentID, c.repeat.row(m.stored(out)))
	})
	if errors.Is(err, db.ErrIdempotencyKeyTaken) { // a request with the same key committed first
		return replayOr[T](k.answered(ctx, c))
	}
	if err != nil {
		return nil, absent(err)
	}
	return out, nil
}
