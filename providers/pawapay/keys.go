package pawapay

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"perennial/billing/fault"
)

const (
	keysPath = "/v2/public-key/http"
	// keysLife bounds how long a key is trusted after pawaPay last listed it.
	keysLife = time.Hour
	// keysGap bounds how often the list is read: anyone may send a message with an invented key ID.
	keysGap = time.Minute
)

// keyCache has pawaPay's public keys by their IDs.
type keyCache struct {
	group  singleflight.Group
	mu     sync.Mutex
	listed map[string]crypto.PublicKey
	readAt time.Time // when listed was read; zero: never
	asked  time.Time // when pawaPay was last asked, with or without success
	failed bool
}

type publishedKey struct {
	ID  string `json:"id"`
	Key string `json:"key"` // PEM
}

// publicKey returns the key of an ID, from the list of the last hour or from a new one.
func (p *PawaPay) publicKey(ctx context.Context, id string, now time.Time) (crypto.PublicKey, error) {
	if key, due := p.keys.get(id, now); key != nil || !due {
		return p.keys.answer(key)
	}
	// One reading serves all messages that wait for it, so it must outlive the one that began it. The time-out of an
	// exchange ends it.
	read := p.keys.group.DoChan("", func() (any, error) {
		if key, due := p.keys.get(id, now); key == nil && due {
			p.keys.put(readKeys(p.get(context.WithoutCancel(ctx), keysPath)), now)
		}
		return nil, nil //nolint:nilnil // the cache holds the result
	})
	select {
	case <-read:
	case <-ctx.Done():
		return nil, keysUnavailable()
	}
	key, _ := p.keys.get(id, now)
	return p.keys.answer(key)
}

// get returns a key that may still be trusted, and whether pawaPay may be asked again.
func (c *keyCache) get(id string, now time.Time) (key crypto.PublicKey, due bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.readAt) < keysLife {
		key = c.listed[id]
	}
	return key, c.asked.IsZero() || now.Sub(c.asked) >= keysGap
}

// put keeps a list; nil: it could not be read, and the last one stays for the rest of its life.
func (c *keyCache) put(listed map[string]crypto.PublicKey, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.failed = now, listed == nil
	if listed != nil {
		c.listed, c.readAt = listed, now
	}
}

// answer distinguishes an unknown key from one that could not be read: pawaPay repeats a message that got 503.
func (c *keyCache) answer(key crypto.PublicKey) (crypto.PublicKey, error) {
	if key != nil {
		return key, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed {
		return nil, keysUnavailable()
	}
	return nil, forged("pawaPay publishes no public key with the ID that the signature names.")
}

func keysUnavailable() error {
	return fault.New(fault.Unavailable, "provider_unavailable",
		"pawaPay's public keys could not be read, so the callback was not verified. Send it again.").After(keysGap)
}

// readKeys reads pawaPay's list; nil: it is not one. A key of a kind that we do not know is left out.
func readKeys(x exchange) map[string]crypto.PublicKey {
	published, ok := decode[[]publishedKey](x)
	if !ok || x.status != 200 {
		return nil
	}
	listed := map[string]crypto.PublicKey{}
	for _, k := range published {
		block, _ := pem.Decode([]byte(k.Key))
		if block == nil {
			continue
		}
		if key, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
			listed[k.ID] = key
		}
	}
	return listed
}
