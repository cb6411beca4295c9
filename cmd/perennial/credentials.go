package main

import (
	"bufio"
	"flag"
	"strings"
	"time"

	"perennial/internal/config"
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// credentialFlags are where the credentials of an account are, by their names: a command line is in the shell's history
// and in the process list.
type credentialFlags struct {
	provider string
	given    []givenCredential
}

// givenCredential is a credential as a flag named it.
type givenCredential struct{ flag, name, variable string }

// declare declares the flags. Those of Stripe are older and mean --credential secretKey=… and webhookSecret=….
func (c *credentialFlags) declare(f *flag.FlagSet) {
	f.Func("credential", "credential and the `name=variable` that holds it, such as secretKey=STRIPE_KEY; - reads a "+
		"line of standard input", func(text string) error {
		name, variable, found := strings.Cut(text, "=")
		if !found || name == "" || variable == "" {
			return usagef("give the name of the credential, = and the name of a variable")
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

// declareProvider adds the flag that says whose account it is, where that is not known.
func (c *credentialFlags) declareProvider(f *flag.FlagSet) {
	f.StringVar(&c.provider, "provider", "stripe",
		"`identifier` of the payment provider: stripe|adyen|pawapay|flutterwave")
}

// read reads the credentials that the flags name. Several may come from standard input, a line each, in the order of
// the flags.
func (c *credentialFlags) read(p *process) (gateway.Credentials, error) {
	stdin := bufio.NewScanner(p.stdin)
	out := gateway.Credentials{}
	for _, given := range c.given {
		if _, twice := out[given.name]; twice {
			return nil, usagef("%s is given twice", given.name)
		}
		value, err := credential(p, stdin, given.flag, given.variable)
		if err != nil {
			return nil, err
		}
		out[given.name] = value
	}
	return out, nil
}

// account is the account that the flags describe; nil: none.
func (c *credentialFlags) account(p *process) (*usecase.Account, error) {
	if len(c.given) == 0 {
		return nil, nil
	}
	if len(c.given) == 1 && c.given[0].flag == "--stripe-webhook-secret-env" { // before a line of standard input is taken
		return nil, usagef("--stripe-webhook-secret-env needs --stripe-secret-key-env")
	}
	credentials, err := c.read(p)
	return &usecase.Account{Provider: c.provider, Credentials: credentials}, err
}

// credential never repeats what it was given: who mistakes the flag types the secret itself.
func credential(p *process, stdin *bufio.Scanner, flagName, variable string) (string, error) {
	if variable == "-" {
		if stdin.Scan() && strings.TrimSpace(stdin.Text()) != "" {
			return strings.TrimSpace(stdin.Text()), nil
		}
		return "", usagef("%s - found no line on standard input", flagName)
	}
	value, _ := p.lookup(variable)
	if value = strings.TrimSpace(value); value == "" {
		return "", usagef("%s names an environment variable, and it is not set; "+
			"give the variable's name, never the secret itself", flagName)
	}
	return value, nil
}

// vaultOf is nil where PERENNIAL_KEK is not set: only some of what a command may do needs it.
func vaultOf(c config.Config) (*vault.Vault, error) {
	if !c.KEK.IsSet() {
		return nil, nil
	}
	return vault.New(c.KEK.Reveal())
}

// neededVault is vaultOf for a command that does nothing without it; absent says why not.
func neededVault(c config.Config, absent string) (*vault.Vault, error) {
	keys, err := vaultOf(c)
	if err == nil && keys == nil {
		err = usagef("PERENNIAL_KEK is not set%s", absent)
	}
	return keys, err
}

// gatewayOf opens accounts as the operator set providers up; keys may be nil where nothing stored is opened.
func gatewayOf(c config.Config, keys *vault.Vault) *gateway.Gateway {
	return gateway.New(gateway.Config{
		Vault: keys, Timeout: c.Stripe.Timeout, AllowedHosts: c.Providers.APIHosts,
		BaseURLs: map[string]string{
			"stripe": c.Stripe.APIURL, "adyen": c.Providers.AdyenURL, "pawapay": c.Providers.PawaPayURL,
			"flutterwave": c.Providers.FlutterwaveURL,
		},
		ReplayWindows: map[string]time.Duration{"stripe": c.Stripe.ReplayWindow},
	})
}
