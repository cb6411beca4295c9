package flags

import (
	"bufio"
	"flag"
	"strings"

	"perennial/cmd/perennial/cli"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// Credentials names the places that have the credentials of an account, not the credentials: a command line is in the
// shell's history and in the process list.
type Credentials struct {
	provider string
	given    []givenCredential
}

// givenCredential is a credential as a flag named it.
type givenCredential struct{ flag, name, variable string }

// Declare declares the flags. Those of Stripe are older and mean --credential secretKey=… and webhookSecret=….
func (c *Credentials) Declare(f *flag.FlagSet) {
	f.Func("credential", "credential and the `name=variable` that holds it, such as secretKey=STRIPE_KEY; - reads a "+
		"line of standard input", func(text string) error {
		name, variable, found := strings.Cut(text, "=")
		if !found || name == "" || variable == "" {
			return cli.Usagef("give the name of the credential, = and the name of a variable")
		}
		c.given = append(c.given, givenCredential{"--credential " + name, name, variable})
		return nil
	})
	for _, older := range []struct{ flag, name, usage string }{
		{"stripe-secret-key-env", "secretKey", "`variable` that holds Stripe's secret key"},
		{"stripe-webhook-secret-env", "webhookSecret",
			"`variable` that holds Stripe's webhook secret"},
	} {
		f.Func(older.flag, older.usage, func(variable string) error {
			c.given = append(c.given, givenCredential{"--" + older.flag, older.name, variable})
			return nil
		})
	}
}

// DeclareProvider adds the flag that says whose account it is, where that is not known.
func (c *Credentials) DeclareProvider(f *flag.FlagSet) {
	f.StringVar(&c.provider, "provider", "stripe",
		"`identifier` of the payment provider: stripe|adyen|pawapay|flutterwave")
}

// Absent reports whether no flag names a credential.
func (c *Credentials) Absent() bool { return len(c.given) == 0 }

// Read reads the credentials that the flags name. Several may come from standard input, a line each, in the order of
// the flags.
func (c *Credentials) Read(p *cli.Process) (gateway.Credentials, error) {
	stdin := bufio.NewScanner(p.Stdin)
	out := gateway.Credentials{}
	for _, given := range c.given {
		if _, twice := out[given.name]; twice {
			return nil, cli.Usagef("%s is given twice", given.name)
		}
		value, err := credential(p, stdin, given.flag, given.variable)
		if err != nil {
			return nil, err
		}
		out[given.name] = value
	}
	return out, nil
}

// Account is the account that the flags describe; nil: none.
func (c *Credentials) Account(p *cli.Process) (*usecase.Account, error) {
	if c.Absent() {
		return nil, nil
	}
	if len(c.given) == 1 && c.given[0].flag == "--stripe-webhook-secret-env" { // before a line of standard input is taken
		return nil, cli.Usagef("--stripe-webhook-secret-env needs --stripe-secret-key-env")
	}
	credentials, err := c.Read(p)
	return &usecase.Account{Provider: c.provider, Credentials: credentials}, err
}

// credential never repeats its argument: a user who mistakes the flag types the secret itself.
func credential(p *cli.Process, stdin *bufio.Scanner, flagName, variable string) (string, error) {
	if variable == "-" {
		if stdin.Scan() && strings.TrimSpace(stdin.Text()) != "" {
			return strings.TrimSpace(stdin.Text()), nil
		}
		return "", cli.Usagef("%s - found no line on standard input", flagName)
	}
	value, _ := p.Lookup(variable)
	if value = strings.TrimSpace(value); value == "" {
		return "", cli.Usagef("%s names an environment variable, and it is not set; "+
			"give the variable's name, never the secret itself", flagName)
	}
	return value, nil
}
