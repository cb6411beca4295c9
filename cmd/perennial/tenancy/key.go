package tenancy

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/internal/vault"
	"perennial/service"
)

// KeyCommand is `perennial key`.
func KeyCommand() *cli.Command {
	return &cli.Command{
		Name: "key", Summary: "create, list, rotate and revoke API keys, and create key-encryption keys",
		About: "An API key is shown once, when it is made; the database keeps its hash.",
		Subcommands: []*cli.Command{keyCreateCommand(), keyListCommand(), keyRotateCommand(),
			keyRevokeCommand(), keyKEKCommand()},
		Examples: []string{
			"perennial key create --tenant Acme --app Shop --mode test", "perennial key list",
			"perennial key revoke key_01jcz6dyqx4w9s1c2k7v5h8m3n",
		},
	}
}

// keyKEKCommand needs no settings and opens no database: it is run before there is anything.
func keyKEKCommand() *cli.Command {
	return &cli.Command{
		Name: "kek", Summary: "print a new key-encryption key for PERENNIAL_KEK",
		About: "It encrypts the provider credentials of all apps: keep it in your secret store, and never beside the database's\n" +
			"backups. `perennial key-encryption rotate --help` says how to replace one.",
		Examples: []string{"export PERENNIAL_KEK=$(perennial key kek)"},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(_ context.Context, p *cli.Process, _ []string) error {
				_, err := fmt.Fprintln(p.Stdout, vault.NewKEK())
				return err
			}
		},
	}
}

// keyRevokeCommand takes effect with the next request, since keys are not cached. It cannot be undone: a key that may
// have leaked must stay revoked.
func keyRevokeCommand() *cli.Command {
	return &cli.Command{
		Name: "revoke", Summary: "revoke an API key immediately", Arguments: "ID",
		About:    "The very next request with it gets 401. `perennial key rotate` makes the next key first.",
		Examples: []string{"perennial key revoke key_01jcz6dyqx4w9s1c2k7v5h8m3n"},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, args []string) error {
				if len(args) != 1 {
					return cli.Usagef("give the ID of one key (key_…); `perennial key list` shows them")
				}
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					if err := service.New(store, p.Now).Tenancy.RevokeKey(ctx, p.Actor(), args[0]); err != nil {
						return err
					}
					_, err := fmt.Fprintf(p.Stdout, "%s is revoked.\n", args[0])
					return err
				})
			}
		},
	}
}

// keyListCommand shows the end of each key, the hint, which is enough to recognise one and not to use it.
func keyListCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Summary: "list the API keys of all environments",
		Examples: []string{"perennial key list", "perennial key list --json"},
		Setup: func(f *flag.FlagSet) cli.Action {
			asJSON := f.Bool("json", false, "one JSON array instead of a table")
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					keys, err := store.Tenancy.Keys(ctx)
					if err != nil {
						return err
					}
					if *asJSON {
						return keysJSON(p.Stdout, keys, p.Now())
					}
					return keysTable(p.Stdout, keys, p.Now())
				})
			}
		},
	}
}

// keyState returns the state of a key in one word for people: revoked wins over expired, since only a person revokes.
func keyState(k db.KeyListing, now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked " + k.RevokedAt.Format(time.DateOnly)
	case k.ExpiresAt.IsZero():
		return "valid"
	case !now.Before(k.ExpiresAt):
		return "expired " + k.ExpiresAt.Format(time.DateOnly)
	default:
		return "valid until " + k.ExpiresAt.Format(time.DateOnly)
	}
}

// lastUse is to about a minute.
func lastUse(k db.KeyListing) string {
	if k.LastUsedAt.IsZero() {
		return "never"
	}
	return k.LastUsedAt.UTC().Format("2006-01-02 15:04")
}

func keysTable(out io.Writer, keys []db.KeyListing, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tTENANT\tAPP\tNAME\tKEY\tSCOPES\tLAST USED\tSTATE") // Flush reports
	for _, k := range keys {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", // Flush reports
			k.ID, k.Tenant, k.App, cmp.Or(k.Name, "-"), k.Hint, strings.Join(k.Scopes, ","), lastUse(k), keyState(k, now))
	}
	return w.Flush()
}

// keysJSON writes keys for scripts: the field names are those of the API and must not change.
func keysJSON(out io.Writer, keys []db.KeyListing, now time.Time) error {
	type row struct {
		ID            string   `json:"id"`
		Tenant        string   `json:"tenant"`
		App           string   `json:"app"`
		EnvironmentID string   `json:"environmentId"`
		Mode          string   `json:"mode"`
		Kind          string   `json:"kind"`
		Hint          string   `json:"hint"`
		Scopes        []string `json:"scopes"`
		State         string   `json:"state"`
		CreatedAt     int64    `json:"createdAt"`
		Name          string   `json:"name"`
		LastUsedAt    int64    `json:"lastUsedAt,omitempty"`
	}
	rows := make([]row, len(keys))
	for i, k := range keys {
		rows[i] = row{
			k.ID, k.Tenant, k.App, k.EnvironmentID, k.Mode, k.Kind, k.Hint, k.Scopes, keyState(k, now), k.CreatedAt.Unix(),
			k.Name, 0,
		}
		if !k.LastUsedAt.IsZero() {
			rows[i].LastUsedAt = k.LastUsedAt.Unix()
		}
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}
