package tenancy

import (
	"context"
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/cidr"
	"perennial/internal/id"
	"perennial/service/tenancy"
)

// Key is an API key: it opens the API in one environment. The key itself is shown once.
type Key struct {
	ID           string   `json:"id" example:"key_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Name         string   `json:"name" example:"shop server" doc:"For people; empty where none was given."`
	Key          string   `json:"key,omitempty" doc:"The key itself. Only in the response to the request that made it: never again, and not in a repeat with the same Idempotency-Key."`
	Hint         string   `json:"hint" example:"sk_test_…x7Fq" doc:"The key's prefix and its last four characters."`
	Kind         string   `json:"kind" enum:"secret,publishable" doc:"secret: for servers. publishable: for client-side code, which may do very little with it."`
	Scopes       []string `json:"scopes" doc:"*: everything. read: all reads. webhooks: webhook endpoints and events. access: whether customers may use the product."`
	AllowedCIDRs []string `json:"allowedCidrs" doc:"The networks that it may be used from. Empty: from anywhere."`
	ExpiresAt    int64    `json:"expiresAt,omitempty" doc:"Unix seconds. From then on it is refused. Absent: it does not expire."`
	RevokedAt    int64    `json:"revokedAt,omitempty" doc:"Unix seconds. Absent: it was not revoked."`
	Replaces     string   `json:"replaces,omitempty" doc:"The key that was rotated."`
	LastUsedAt   int64    `json:"lastUsedAt,omitempty" doc:"Unix seconds, to about a minute. Absent: never."`
	CreatedAt    int64    `json:"createdAt" example:"1763640000"`
}

func renderAPIKey(k db.ManagedKey) Key {
	networks := make([]string, len(k.AllowedCIDRs))
	for i, network := range k.AllowedCIDRs {
		networks[i] = network.String()
	}
	return Key{
		ID: k.ID, Name: k.Name, Hint: k.Hint, Kind: k.Kind, Scopes: k.Scopes, AllowedCIDRs: networks,
		ExpiresAt: view.Unix(k.ExpiresAt), RevokedAt: view.Unix(k.RevokedAt), Replaces: k.Replaces,
		LastUsedAt: view.Unix(k.LastUsedAt),
		CreatedAt:  view.Unix(k.CreatedAt),
	}
}

// madeAPIKey shows a new key once. The stored answer for repeats does not have it.
func madeAPIKey(k tenancy.APIKey) httpkit.Made[Key] {
	repeats := renderAPIKey(k.ManagedKey)
	shown := repeats
	shown.Key = k.Plain
	return httpkit.Made[Key]{Resource: shown, Repeats: &repeats}
}

type createAPIKeyInput struct {
	Body KeyForm
}

// KeyForm creates an API key.
type KeyForm struct {
	Name         string   `json:"name,omitempty" maxLength:"100" example:"shop server" doc:"For people."`
	Kind         string   `json:"kind,omitempty" enum:"secret,publishable" doc:"Default: secret."`
	Scopes       []string `json:"scopes,omitempty" minItems:"1" maxItems:"4" enum:"*,read,webhooks,access" doc:"What a secret key may do. Default: everything. A publishable key with access may also ask whether a customer may use the product, or a feature of it."`
	AllowedCIDRs []string `json:"allowedCidrs,omitempty" minItems:"1" maxItems:"100" doc:"The networks that it may be used from, such as 203.0.113.0/24. Default: from anywhere, or where the key that asks may be used from some networks only, these must lie within them."`
	ExpiresAt    int64    `json:"expiresAt,omitempty" minimum:"1" maximum:"253402300799" doc:"Unix seconds, in the future. Default: never, or no later than the key that asks."`
}

func (f KeyForm) form() (tenancy.APIKeyForm, error) {
	out := tenancy.APIKeyForm{
		Name: f.Name, Kind: apikey.Secret, Scopes: f.Scopes, ExpiresAt: view.Instant(f.ExpiresAt),
	}
	if f.Kind != "" {
		out.Kind = apikey.Kind(f.Kind)
	}
	for _, text := range f.AllowedCIDRs {
		network, err := cidr.Parse(text)
		if err != nil {
			return out, fault.InvalidParam("allowedCidrs", "network_malformed",
				"%.60q is not a network. Send one such as 203.0.113.0/24 or 2001:db8::/32.", text)
		}
		out.AllowedCIDRs = append(out.AllowedCIDRs, network)
	}
	return out, nil
}

func (h *Handler) createAPIKey(
	ctx context.Context, c *httpkit.Call, in *createAPIKeyInput,
) (*httpkit.Reply[Key], error) {
	form, err := in.Body.form()
	if err != nil {
		return nil, err
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, madeAPIKey,
		func(keep func(*db.Tx, tenancy.APIKey) error) error {
			_, err := h.service.CreateAPIKey(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) getAPIKey(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Key], error) {
	return httpkit.OK(renderAPIKey(httpkit.Resource[db.ManagedKey](c))), nil
}

type listAPIKeysInput struct {
	httpkit.Page
	Ended string `query:"ended" enum:"true,false" doc:"true: only keys that were revoked or have expired. false: only the others."`
}

func (h *Handler) listAPIKeys(
	ctx context.Context, c *httpkit.Call, in *listAPIKeysInput,
) (*httpkit.Reply[httpkit.List[Key]], error) {
	page, err := in.DB(id.APIKey)
	if err != nil {
		return nil, err
	}
	filter := db.APIKeyFilter{Ended: view.Chosen(in.Ended), Now: h.now()}
	rows, more, err := h.store.Tenancy.APIKeys(ctx, c.EnvironmentID, filter, page)
	return httpkit.ListOf(rows, more, err, renderAPIKey)
}

type updateAPIKeyInput struct {
	httpkit.ByID
	Body KeyChange
}

// KeyChange names a key. Its rights cannot be changed: create another key, and revoke this one.
type KeyChange struct {
	Name string `json:"name" maxLength:"100" example:"shop server" doc:"For people; empty: none."`
}

func (h *Handler) updateAPIKey(
	ctx context.Context, c *httpkit.Call, in *updateAPIKeyInput,
) (*httpkit.Reply[Key], error) {
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, madeAPIKey,
		func(keep func(*db.Tx, tenancy.APIKey) error) error {
			_, err := h.service.RenameAPIKey(ctx, usecase.Caller(c), in.ID, in.Body.Name, keep)
			return err
		})
}

// KeyRotation replaces a key.
type KeyRotation struct {
	OverlapSeconds int64 `json:"overlapSeconds,omitempty" minimum:"0" maximum:"604800" doc:"For how long the old key goes on, in seconds. Default: it ends at once."`
}

type rotateAPIKeyInput struct {
	httpkit.ByID
	Body *KeyRotation
}

func (h *Handler) rotateAPIKey(
	ctx context.Context, c *httpkit.Call, in *rotateAPIKeyInput,
) (*httpkit.Reply[Key], error) {
	var overlap time.Duration
	if in.Body != nil {
		overlap = time.Duration(in.Body.OverlapSeconds) * time.Second
	}
	keyID := httpkit.Resource[db.ManagedKey](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusCreated, madeAPIKey,
		func(around usecase.Around[tenancy.APIKey]) error {
			return h.service.RotateAPIKey(ctx, usecase.Caller(c), keyID, overlap, around)
		})
}

func (h *Handler) revokeAPIKey(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Key], error) {
	keyID := httpkit.Resource[db.ManagedKey](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusOK, madeAPIKey, func(around usecase.Around[tenancy.APIKey]) error {
		return h.service.RevokeAPIKey(ctx, usecase.Caller(c), keyID, around)
	})
}
