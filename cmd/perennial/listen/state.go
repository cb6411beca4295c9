package listen

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"perennial/cmd/perennial/cli"
	"perennial/internal/config"
	"perennial/webhooks"
)

// kept has what listen keeps between runs, in a file that only its user can read.
type kept struct {
	path   string
	onDisk bool
	saved  string // the cursor in the file

	Cursor string `json:"cursor"` // the last event that was handled; empty: the environment had none
	Secret string `json:"secret"`
}

// stateFile is one for each API, key and receiver, so that two receivers have positions of their own. The
// name is a hash since the key must not show in a file's name.
func stateFile(p *cli.Process, client config.ClientSettings, forwardTo string) (string, error) {
	dir, _ := p.Lookup("XDG_STATE_HOME")
	if dir == "" {
		home, _ := p.Lookup("HOME")
		if home == "" {
			return "", errors.New("neither HOME nor XDG_STATE_HOME is set: name a file with --state")
		}
		dir = filepath.Join(home, ".local", "state")
	}
	name := sha256.Sum256([]byte(client.APIURL + "\n" + client.APIKey.Reveal() + "\n" + forwardTo))
	return filepath.Join(dir, "perennial", "listen-"+hex.EncodeToString(name[:8])+".json"), nil
}

// loadState also reports whether an earlier run left a state.
func loadState(path string) (s *kept, known bool, err error) {
	s = &kept{path: path}
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Secret, err = webhooks.NewSecret(rand.Reader)
		return s, false, err
	case err != nil:
		return nil, false, err
	}
	if err := json.Unmarshal(raw, s); err != nil || s.Secret == "" {
		return nil, false, fmt.Errorf(
			"%s does not hold the state of listen: delete it, or name another file with --state", path)
	}
	s.onDisk, s.saved = true, s.Cursor
	return s, true, nil
}

// save replaces the file as a whole, so that an interrupted one leaves the old.
func (s *kept) save() error {
	if s.onDisk && s.saved == s.Cursor {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	scratch := s.path + ".new"
	if err := writeSynced(scratch, append(raw, '\n')); err != nil {
		return err
	}
	if err := os.Rename(scratch, s.path); err != nil {
		return err
	}
	s.onDisk, s.saved = true, s.Cursor
	return nil
}

// writeSynced writes a file that is on the disk before it gets its name.
func writeSynced(path string, content []byte) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}
