package tenancy

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"perennial/billing/audit"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
)

// AuditCommand is `perennial audit`.
func AuditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Summary: "check the audit log",
		About:       "GET /audit-log and docs/operations.md say what it holds.",
		Subcommands: []*cli.Command{auditVerifyCommand()},
		Examples:    []string{"perennial audit verify"},
	}
}

func auditVerifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Summary: "check that no entry of the audit log is missing, changed or moved",
		About: "Walks the chain of each environment from its first entry. Each seal is a hash over an entry and the seal before, so that\n" +
			"the first entry that is not what it was is found, and named. Prints, for each environment, how many entries are sealed and\n" +
			"the head: the number and hash of the last seal. The owner of the database could make a whole new chain: keep heads\n" +
			"elsewhere, and give one with --head later; the chain must still contain it. Entries of the last second or so have no\n" +
			"seal yet. Exit codes: 0 every chain holds; 3 one is broken, or an entry has waited for its seal for ten minutes; 1 failed.",
		Examples: []string{
			"perennial audit verify", "perennial audit verify --environment env_01jcz6dyqx4w9s1c2k7v5h8m3n",
			"perennial audit verify --environment env_01jcz6dyqx4w9s1c2k7v5h8m3n --head 42:9f86d081…",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in auditFlags
			f.StringVar(&in.environment, "environment", "", "only this environment, an `id`")
			f.StringVar(&in.head, "head", "", "a `number:hash` that was printed before, with --environment")
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				expected, err := in.expected()
				if err != nil {
					return err
				}
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					ids, err := in.environments(ctx, store)
					if err != nil {
						return err
					}
					return verifyAudit(ctx, p.Stdout, store, ids, expected, p.Now())
				})
			}
		},
	}
}

type auditFlags struct{ environment, head string }

// expected is the link that the chain must contain; zero: any.
func (in auditFlags) expected() (s audit.Seal, err error) {
	if in.head == "" {
		return s, nil
	}
	if in.environment == "" {
		return s, cli.Usagef("--head is of one environment: give --environment")
	}
	number, hash, _ := strings.Cut(in.head, ":")
	s.Number, err = strconv.ParseInt(number, 10, 64)
	if err == nil {
		s.Hash, err = hex.DecodeString(hash)
	}
	if err != nil || s.Number < 1 || len(s.Hash) == 0 {
		return s, cli.Usagef("--head is a number and a hash, as this command prints them: 42:9f86d081…")
	}
	return s, nil
}

func (in auditFlags) environments(ctx context.Context, store *db.Store) ([]string, error) {
	if in.environment != "" {
		_, err := store.Tenancy.Environment(ctx, in.environment)
		return []string{in.environment}, err
	}
	all, err := store.Tenancy.Environments(ctx)
	ids := make([]string, len(all))
	for i, e := range all {
		ids[i] = e.ID
	}
	return ids, err
}

// unsealedTooLong is the age at which an unsealed entry is a fault: the seal normally takes seconds, or a minute after
// a crash.
const unsealedTooLong = 10 * time.Minute

// verifyAudit checks all environments, also those after a broken one.
func verifyAudit(
	ctx context.Context, out io.Writer, store *db.Store, environmentIDs []string, expected audit.Seal, now time.Time,
) error {
	var differs error
	for _, environmentID := range environmentIDs {
		line, holds, err := verifyChain(ctx, store, environmentID, expected, now)
		if err != nil {
			return err
		}
		if !holds {
			differs = cli.ErrDiffers
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", environmentID, line); err != nil {
			return err
		}
	}
	return differs
}

func verifyChain(
	ctx context.Context, store *db.Store, environmentID string, expected audit.Seal, now time.Time,
) (line string, holds bool, err error) {
	var head audit.Seal
	met := expected.Number == 0
	for {
		var held []audit.Seal
		held, err = store.Tenancy.FollowAudit(ctx, environmentID, head)
		for _, s := range held {
			head = s
			met = met || s.Number == expected.Number && bytes.Equal(s.Hash, expected.Hash)
		}
		if err != nil || len(held) == 0 {
			break
		}
	}
	var broken *audit.Break
	switch {
	case errors.As(err, &broken):
		return fmt.Sprintf("BROKEN behind seal %d: %v", head.Number, broken), false, nil
	case err != nil:
		return "", false, err
	case !met:
		return fmt.Sprintf("BROKEN: among %d seals there is no %d:%x", head.Number, expected.Number,
			expected.Hash), false, nil
	}
	waiting, err := store.Tenancy.Unsealed(ctx, environmentID, head)
	if err != nil {
		return "", false, err
	}
	line = fmt.Sprintf("holds, sealed %d", head.Number)
	if head.Number > 0 {
		line += fmt.Sprintf(", head %d:%x", head.Number, head.Hash)
	}
	if waiting.Entries == 0 {
		return line, true, nil
	}
	age := now.Sub(waiting.Oldest)
	line += fmt.Sprintf(", not sealed yet %d, the oldest for %s", waiting.Entries, age.Round(time.Second))
	if age > unsealedTooLong {
		return line + ": TOO LONG. Start an API process, which seals", false, nil
	}
	return line, true, nil
}
