package tenancy

import (
	"context"
	"flag"
	"fmt"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/internal/vault"
	"perennial/service"
	"perennial/service/tenancy"
)

// KeyEncryptionCommand is `perennial key-encryption`.
func KeyEncryptionCommand() *cli.Command {
	return &cli.Command{
		Name: "key-encryption", Summary: "rotate the keys that encrypt credentials",
		About: "Each app has a keyset of its own, which seals the credentials of its accounts at payment providers and the secrets of\n" +
			"its webhook endpoints. The keysets are wrapped by the key-encryption key, PERENNIAL_KEK.",
		Subcommands: []*cli.Command{keyEncryptionStatusCommand(), keyEncryptionRotateCommand()},
		Examples:    []string{"perennial key-encryption status", "perennial key-encryption rotate"},
	}
}

func keyEncryptionStatusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Summary: "say which apps need which key of PERENNIAL_KEK",
		About: "Exit code 1 where a keyset is not wrapped with the first key: then the others are still needed, or the key is missing.",
		Examples: []string{
			"perennial key-encryption status",
			"PERENNIAL_KEK=$NEW_KEK perennial key-encryption status && echo the old key is not needed any more",
		},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return withKeys(ctx, p, func(store *db.Store, keys *vault.Vault) error {
					return keyStatus(ctx, p, store, keys)
				})
			}
		},
	}
}

func keyEncryptionRotateCommand() *cli.Command {
	return &cli.Command{
		Name: "rotate", Summary: "wrap the keysets of all apps with the first key of PERENNIAL_KEK",
		About: "1. Make a key: `perennial key kek`. Set PERENNIAL_KEK of every process to the new key, a comma and the old one, and\n" +
			"   restart them one by one. All of them open what either key has wrapped.\n" +
			"2. Run this command with the same value. It changes one app at a time, while everything goes on.\n" +
			"3. Where it ended with exit code 0, set PERENNIAL_KEK to the new key alone, and restart the processes one by one.\n" +
			"Where it is interrupted, run it again: what is done is left. With --data-keys each app also gets a new key of its own,\n" +
			"with which all that it has sealed is sealed anew, credentials of earlier builds too; it prints each app, and --after goes\n" +
			"on behind one. The former data key stays beside the new one until the next rotation, for requests that are under way.\n" +
			"Who rotated keys is kept in environment_changes. Exit code 1: a keyset could not be opened, and was left as it was.",
		Examples: []string{
			"PERENNIAL_KEK=$NEW_KEK,$OLD_KEK perennial key-encryption rotate",
			"perennial key-encryption rotate --data-keys",
			"perennial key-encryption rotate --data-keys --after app_01jcz6dyqx4w9s1c2k7v5h8m3n",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var r tenancy.KeyRotation
			f.BoolVar(&r.DataKeys, "data-keys", false, "also renew the keys of the apps, and seal everything anew")
			f.StringVar(&r.After, "after", "", "go on behind this `app`, the last that was printed")
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return withKeys(ctx, p, func(store *db.Store, keys *vault.Vault) error {
					return rotateKeys(ctx, p, store, keys, r)
				})
			}
		},
	}
}

func withKeys(ctx context.Context, p *cli.Process, do func(*db.Store, *vault.Vault) error) error {
	return wire.WithStore(ctx, p, func(store *db.Store, c config.Config) error {
		keys, err := wire.NeededVault(c, "; give the value that the API and the workers have")
		if err != nil {
			return err
		}
		return do(store, keys)
	})
}

// rotateKeys prints each app when it is done, so that who interrupts it knows how far it came.
func rotateKeys(
	ctx context.Context, p *cli.Process, store *db.Store, keys *vault.Vault, r tenancy.KeyRotation,
) error {
	var wrapped, renewed, left, failed int
	err := service.New(store, p.Now).Tenancy.RotateKeys(ctx, p.Actor(), keys, r, func(k tenancy.KeysetRotated) error {
		what := "left as it was: it is wrapped with the first key"
		switch {
		case k.Err != nil:
			failed++
			what = "FAILED: " + fault.From(k.Err).Detail
		case r.DataKeys:
			renewed++
			what = "data key renewed, " + cli.Counted(k.Resealed, "value") + " sealed anew"
		case k.Rewrapped:
			wrapped++
			what = "wrapped with the first key"
		default:
			left++
		}
		_, err := fmt.Fprintf(p.Stdout, "%s  %s\n", k.AppID, what)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%d wrapped, %d renewed, %d left, %d failed\n", wrapped, renewed, left, failed)
	if err == nil && failed > 0 {
		_, _ = fmt.Fprintln(p.Stderr, "keysets that failed were not changed: put the key that they were wrapped with into "+
			"PERENNIAL_KEK, behind a comma, and run this again") // the exit code says it too
		return cli.ErrTold
	}
	return err
}

// keysetsAtOnce is the number of keysets that one query reads.
const keysetsAtOnce = 10_000

func keyStatus(ctx context.Context, p *cli.Process, store *db.Store, keys *vault.Vault) error {
	var current, others, unreadable int
	for after := ""; ; {
		found, err := store.Reconcile.Keysets(ctx, after, keysetsAtOnce)
		if err != nil {
			return err
		}
		for _, k := range found {
			what := "wrapped with the first key"
			if after = k.AppID; keys.Current(k.Wrapped, k.AppID) {
				current++
			} else if _, err := keys.Rewrap(k.Wrapped, k.AppID); err == nil {
				others++
				what = "wrapped with another key of PERENNIAL_KEK"
			} else {
				unreadable++
				what = "wrapped with a key that PERENNIAL_KEK does not have"
			}
			if _, err := fmt.Fprintf(p.Stdout, "%s  %s\n", k.AppID, what); err != nil {
				return err
			}
		}
		if len(found) == 0 {
			break
		}
	}
	_, err := fmt.Fprintf(p.Stdout, "%d with the first key, %d with another, %d unreadable\n", current, others, unreadable)
	if err == nil && others+unreadable > 0 {
		return cli.ErrTold
	}
	return err
}
