package httpkit

import (
	"sync"
	"time"
)

// keyUse remembers when keys were last used, until that is written to the database: a row of each request would cost
// more than the request.
type keyUse struct {
	mu   sync.Mutex
	last map[string]time.Time // by key id
}

func (u *keyUse) note(keyID string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = map[string]time.Time{}
	}
	u.last[keyID] = at
}

// KeysUsed returns the keys that were admitted since it was called last, with the time of each one's last request.
func (k *Kit) KeysUsed() map[string]time.Time {
	k.used.mu.Lock()
	defer k.used.mu.Unlock()
	last := k.used.last
	k.used.last = nil
	return last
}
