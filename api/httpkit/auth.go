package httpkit

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/telemetry"
)

// Access has an operation's requirements of a key.
type Access struct {
	Scopes      []string // any of them opens the operation, as "*" does
	Publishable bool     // client-side keys may use it too: an explicit list, and short
	// PublishableScope is the scope that a client-side key must have by name, where it may use the operation; empty:
	// none.
	PublishableScope string
}

// The requirements of most operations.
var (
	ReadAccess  = Access{Scopes: []string{"read"}}
	WriteAccess = Access{}
)

var (
	errKeyMissing = fault.New(fault.Unauthorized, "api_key_missing",
		"The request has no API key. Send the header `Authorization: Bearer sk_test_…`.")
	errKeyMalformed = fault.New(fault.Unauthorized, "api_key_malformed",
		"The Authorization header is malformed. Send `Authorization: Bearer sk_test_…` with the complete key.")
	errKeyUnknown = fault.New(fault.Unauthorized, "api_key_unknown",
		"This API key does not exist. Check it, or use another key of the environment.")
	errKeyRevoked = fault.New(fault.Unauthorized, "api_key_revoked",
		"This API key was revoked. Use another key of the environment.")
	errKeyExpired = fault.New(fault.Unauthorized, "api_key_expired",
		"This API key has expired. Use another key of the environment.")

	errAddressRefused = fault.New(fault.Forbidden, "address_not_allowed",
		"This API key does not allow requests from your IP address. Use an address on its allow-list, or another key.")
	// ErrSecretKeyRequired refuses a publishable key what only secret keys may do.
	ErrSecretKeyRequired = fault.New(fault.Forbidden, "secret_key_required",
		"A publishable key does not allow this operation. Use a secret key from your server.")
)

// errScopeMissing names the scopes that would do.
func errScopeMissing(need Access) error {
	scopes := quoted("*")
	for _, scope := range slices.Backward(need.Scopes) {
		scopes = quoted(scope) + " or " + scopes
	}
	return fault.New(fault.Forbidden, "scope_missing",
		"The scopes of this API key do not cover this operation. Use a key with the scope %s.", scopes)
}

// errPublishableScopeMissing names the required scope: a publishable key has only scopes that it was given by name.
func errPublishableScopeMissing(scope string) error {
	return fault.New(fault.Forbidden, "scope_missing",
		"The scopes of this API key do not cover this operation. Use a publishable key with the scope %s, or a secret key.",
		quoted(scope))
}

// bearer reads the hash of the key from the one Authorization header, without the database.
func bearer(header http.Header) ([]byte, apikey.Mode, error) {
	values := header.Values("Authorization")
	if len(values) == 0 || values[0] == "" {
		return nil, "", errKeyMissing
	}
	scheme, plain, _ := strings.Cut(values[0], " ")
	_, mode, ok := apikey.Parse(plain)
	// Two headers are refused: a proxy may have judged the other one.
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || !ok {
		return nil, "", errKeyMalformed
	}
	return apikey.Hash(plain), mode, nil
}

// admit decides whether a stored key opens an operation now. Keys are not cached, so a revocation counts from the next
// request on. Faults: api_key_unknown, api_key_revoked, api_key_expired, address_not_allowed, secret_key_required,
// scope_missing. The address comes before the scopes, so that a stolen key does not reveal its scopes.
func admit(key db.APIKey, mode apikey.Mode, need Access, from netip.Addr, now time.Time) error {
	switch {
	case key.Mode != string(mode):
		return errKeyUnknown // a live key opens live environments only, whatever the table says
	case !key.RevokedAt.IsZero():
		return errKeyRevoked
	case !key.ExpiresAt.IsZero() && !now.Before(key.ExpiresAt):
		return errKeyExpired
	case len(key.AllowedCIDRs) > 0 && !slices.ContainsFunc(key.AllowedCIDRs, func(p netip.Prefix) bool {
		return p.Contains(from)
	}):
		return errAddressRefused
	case key.Kind == string(apikey.Publishable):
		switch {
		case !need.Publishable:
			return ErrSecretKeyRequired
		case need.PublishableScope != "" && !slices.Contains(key.Scopes, need.PublishableScope):
			return errPublishableScopeMissing(need.PublishableScope)
		}
		return nil
	case slices.ContainsFunc(key.Scopes, func(has string) bool { return has == "*" || slices.Contains(need.Scopes, has) }):
		return nil
	default:
		return errScopeMissing(need)
	}
}

// clientAddress returns the address that connected to us or, behind trusted proxies, the last address they saw that is
// not a proxy's. Entries of X-Forwarded-For from untrusted clients never count. The list is read from its end: each
// proxy appends, so everything before the last address that is not a proxy's is untrusted. If a trusted proxy sends
// something other than an address, the client's is not known and the zero Addr is returned, which no network contains:
// the proxy's own address would open keys that are limited to the network behind it.
func clientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap()
	if len(r.Header.Values("X-Forwarded-For")) == 0 {
		return address // the peer asks for itself
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(address) }) {
			return address
		}
		hop, ok := hopAddress(strings.TrimSpace(hops[i]))
		if !ok {
			return netip.Addr{}
		}
		address = hop
	}
	return address
}

// hopAddress reads one entry of X-Forwarded-For: an address, to which some proxies add the port.
func hopAddress(text string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(text)
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		return withPort.Addr().Unmap().WithZone(""), err == nil
	}
	return address.Unmap().WithZone(""), true
}

// keyByHash reads a key alone. Fault: api_key_unknown.
func (k *Kit) keyByHash(ctx context.Context, hash []byte) (db.APIKey, error) {
	key, err := k.store.KeyByHash(ctx, hash)
	return key, keyFault(err)
}

func keyFault(err error) error {
	if errors.Is(err, db.ErrAPIKeyUnknown) {
		return errKeyUnknown
	}
	return err
}

// authenticate fetches the caller's key together with the resource of the path, if any, judges the key, and counts its
// request, whatever the result.
func (k *Kit) authenticate(
	ctx context.Context, header http.Header, r *http.Request, op Operation, resourceID string,
	hash []byte, mode apikey.Mode,
) (*Call, error) {
	var key db.APIKey
	var found any
	var err error
	if op.Load.fetch != nil {
		key, found, err = op.Load.fetch(ctx, hash, resourceID)
	} else {
		key, err = k.keyByHash(ctx, hash)
	}
	// Without a key the error is about the key or the database. With one it is about the resource, and only a key that
	// may see the resource gets it: otherwise a revoked key could find out which ids exist.
	if err != nil && key.ID == "" {
		return nil, keyFault(err)
	}
	now, from := k.now(), clientAddress(r, k.config.TrustedProxies)
	refusal := admit(key, mode, op.Access, from, now)
	if fault.From(refusal) == nil || fault.From(refusal).Kind != fault.Unauthorized { // who has no key has no quota
		if exceeded := k.count(header, key, hash, from, now); exceeded != nil {
			return nil, exceeded
		}
	}
	if refusal != nil {
		return nil, refusal
	}
	k.used.note(key.ID, now)
	if err != nil {
		return nil, err
	}
	record := telemetry.RequestFrom(ctx)
	record.EnvironmentID, record.KeyID = key.EnvironmentID, key.ID
	return &Call{Principal: principalOf(key), resource: found, audited: db.Call{
		EnvironmentID: key.EnvironmentID, Operation: op.Name, Scopes: key.Scopes, RequestID: record.ID, Address: from,
		ObjectID: resourceID, Status: op.Status,
	}}, nil
}
