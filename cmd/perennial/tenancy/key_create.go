package tenancy

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/flags"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/cidr"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/tenancy"
)

// scopes are the scopes that a key may have; the database checks the same list.
var scopes = []string{"*", "read", "webhooks", "access"}

func keyCreateCommand() *cli.Command {
	return &cli.Command{
		Name: "create", Summary: "create an API key, and its tenant, app and environment where absent",
		About: "Tenant and app are found by name, the environment by its mode; what is absent is made. The key is printed once,\n" +
			"alone on standard output. Provider credentials come from environment variables or standard input, never from the\n" +
			"command line, where every user of the machine could read them. A new app, and a provider's credentials, need\n" +
			"PERENNIAL_KEK: the same as the API's and the workers'. The settings of an environment are chosen when it is made;\n" +
			"`perennial doctor` shows them. `perennial provider update` replaces the credentials of an account that exists.",
		Examples: []string{
			"perennial key create --tenant Acme --app Shop --mode test --time-zone Africa/Douala",
			"STRIPE_KEY=… perennial key create --tenant Acme --app Shop --mode live --credential secretKey=STRIPE_KEY",
			"perennial key create --tenant Acme --app Shop --mode live " +
				"--retry-base 48h --retry-factor 1 --past-due-cancel-after 60",
			"perennial key create --tenant Acme --app Shop --mode test --scope read --expires-in 720h",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in keyFlags
			in.declare(f)
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				o, err := in.order(p)
				if err != nil {
					return err
				}
				return wire.WithStore(ctx, p, func(store *db.Store, c config.Config) error {
					keys, err := wire.VaultOf(c)
					if err != nil {
						return err
					}
					if in.ifNone {
						if known, err := keyOf(ctx, store, in); err != nil || known.ID != "" {
							return keepKey(ctx, p, service.New(store, p.Now), keys, known, o)
						}
					}
					out, err := service.New(store, p.Now).WithProviders(wire.GatewayOf(c, keys)).Tenancy.ProvisionKey(ctx, p.Actor(),
						keys, o)
					if err != nil {
						return err
					}
					for _, what := range out.Created {
						_, _ = fmt.Fprintf(p.Stderr, "made %s\n", what) // the key below matters more
					}
					if out.ProviderConfigID != "" {
						_, _ = fmt.Fprintf(p.Stderr, "callbacks: have %s send its events to %s\n", o.Account.Provider,
							wire.CallbackURL(c, o.Account.Provider, out.ProviderConfigID))
					}
					_, _ = fmt.Fprintf(p.Stderr, "environment %s: %s\n", out.Environment.ID,
						tenancy.DescribeSettings(out.Environment.Settings))
					_, _ = fmt.Fprintf(p.Stderr, "made key %s; it is shown only now:\n", out.ID)
					_, err = fmt.Fprintln(p.Stdout, out.Key.Plain)
					return err
				})
			}
		},
	}
}

// keyFlags are the flags as they were typed. Secrets come by the names of variables, never as values: a command line is
// in the shell's history and in the process list.
type keyFlags struct {
	tenant, app, mode, kind string
	name                    string
	scopes, cidrs           flags.List
	expiresIn               time.Duration
	settings                choices
	credentials             flags.Credentials
	ifNone                  bool
}

func (k *keyFlags) declare(f *flag.FlagSet) {
	f.StringVar(&k.tenant, "tenant", "", "`name` of the tenant (required)")
	f.StringVar(&k.app, "app", "", "`name` of the app (required)")
	f.StringVar(&k.mode, "mode", "", "which environment of the app, `test|live` (required)")
	f.StringVar(&k.name, "name", "", "`name` of the key, for people")
	f.StringVar(&k.kind, "kind", string(apikey.Secret), "who may hold it, `secret|publishable`")
	f.Var(&k.scopes, "scope", "what a secret key may do, `*|read|webhooks|access`; may be repeated (default: *)")
	f.Var(&k.cidrs, "allow-from",
		"`network` from which it may be used, such as 10.0.0.0/8; may be repeated (default: from anywhere)")
	f.DurationVar(&k.expiresIn, "expires-in", 0, "`duration` after which it ends (default: never)")
	k.settings.declare(f)
	f.BoolVar(&k.ifNone, "if-none", false,
		"make no key where the environment has one that is not revoked; for scripts that run again")
	k.credentials.DeclareProvider(f)
	k.credentials.Declare(f)
}

// order checks everything that can be checked without a database, so that a mistake changes nothing.
// Faults are usage errors.
func (k *keyFlags) order(p *cli.Process) (tenancy.NewKey, error) {
	for name, value := range map[string]string{"tenant": k.tenant, "app": k.app, "mode": k.mode} {
		if strings.TrimSpace(value) == "" {
			return tenancy.NewKey{}, cli.Usagef("--tenant, --app and --mode are required; --%s is missing", name)
		}
	}
	o := tenancy.NewKey{
		Tenant: k.tenant, App: k.app, Mode: apikey.Mode(k.mode), Kind: apikey.Kind(k.kind), Name: k.name, Scopes: k.scopes,
		Settings: tenancy.Choices(k.settings),
	}
	if o.Mode != apikey.Test && o.Mode != apikey.Live {
		return o, cli.Usagef("--mode is test or live, not %q", k.mode)
	}
	if o.Kind != apikey.Secret && o.Kind != apikey.Publishable {
		return o, cli.Usagef("--kind is secret or publishable, not %q", k.kind)
	}
	if err := k.limits(p.Now(), &o); err != nil {
		return o, err
	}
	if err := k.settings.check(); err != nil {
		return o, err
	}
	// Credentials come last, after all else was found right: reading one may wait for standard input.
	var err error
	o.Account, err = k.credentials.Account(p)
	return o, err
}

// limits reads the flags that narrow a key.
func (k *keyFlags) limits(now time.Time, o *tenancy.NewKey) error {
	for _, s := range k.scopes {
		if !slices.Contains(scopes, s) {
			return cli.Usagef("--scope is one of %s, not %q", strings.Join(scopes, ", "), s)
		}
	}
	if len(o.Scopes) == 0 {
		o.Scopes = []string{"*"}
	}
	for _, text := range k.cidrs {
		network, err := cidr.Parse(text)
		if err != nil {
			return cli.Usagef("--allow-from %q is not a network such as 10.0.0.0/8 or 2001:db8::/32", text)
		}
		o.AllowedCIDRs = append(o.AllowedCIDRs, network)
	}
	switch {
	case k.expiresIn < 0:
		return cli.Usagef("--expires-in cannot be negative")
	case k.expiresIn > 0:
		o.ExpiresAt = now.Add(k.expiresIn)
	}
	return nil
}
