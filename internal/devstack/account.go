package devstack

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
)

// Account is the user a server runs as when it is not ours.
type Account struct {
	Name     string
	UID, GID uint32
}

// unprivileged returns the user for servers that refuse root: none when we are not root ourselves, else the system's
// postgres, else the user nobody.
func unprivileged() (*Account, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // nil is the Account that means "ourselves"
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return &Account{Name: name, UID: uint32(uid), GID: uint32(gid)}, nil
		}
	}
	return nil,
		fmt.Errorf("PostgreSQL refuses to run as root, and this machine has neither a user postgres nor a user nobody: " +
			"start as another user, or set DATABASE_URL to a server of your own")
}

// own gives a file or directory to the account.
func (a *Account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, int(a.UID), int(a.GID))
}
