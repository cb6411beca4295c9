package dev

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"perennial/internal/vault"
)

// The names in dev.env.
const (
	devKEK           = "PERENNIAL_KEK"
	devAPIKey        = "PERENNIAL_DEV_API_KEY"
	devWebhookSecret = "PERENNIAL_DEV_STRIPE_WEBHOOK_SECRET"
)

// state has what dev keeps between starts, in a file that only its user can read. Losing the file loses only the
// access: the next start makes another app.
type state struct {
	path          string
	kek           string
	apiKey        string // empty: there is none yet
	webhookSecret string // of the simulator's callbacks
}

func loadState(path string) (state, error) {
	s := state{path: path}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	fields := map[string]*string{devKEK: &s.kek, devAPIKey: &s.apiKey, devWebhookSecret: &s.webhookSecret}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if field, ok := fields[name]; ok {
			*field = value
		}
	}
	if s.kek == "" {
		s.kek = vault.NewKEK()
	}
	return s, nil
}

// save replaces the file as a whole, so that an interrupted one leaves the old.
func (s state) save() error {
	var out bytes.Buffer
	out.WriteString("# Kept by `perennial dev`. These open this machine's development data only.\n")
	for _, pair := range [][2]string{{devKEK, s.kek}, {devAPIKey, s.apiKey}, {devWebhookSecret, s.webhookSecret}} {
		fmt.Fprintf(&out, "%s=%s\n", pair[0], pair[1])
	}
	scratch := s.path + ".new"
	if err := os.WriteFile(scratch, out.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Rename(scratch, s.path)
}
