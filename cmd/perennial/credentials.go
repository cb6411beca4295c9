package main

import (
	"bufio"
	"flag"
	"strings"

	"perennial/internal/config"
	"perennial/internal/vault"
	"perennial/service"
)

// declareStripe declares the flags that name where the credentials of a Stripe account are.
func declareStripe(f *flag.FlagSet, secret, webhook *string) {
	f.StringVar(secret, "stripe-secret-key-env", "",
		"`variable` that holds Stripe's secret key; - reads a line of standard input")
	f.StringVar(webhook, "stripe-webhook-secret-env", "",
		"`variable` that holds Stripe's webhook secret; - reads a line of standard input")
}

// stripeAccount reads the credentials that the flags name; empty where a flag is absent.
func stripeAccount(p *process, secret, webhook string) (account service.StripeAccount, err error) {
	stdin := bufio.NewScanner(p.stdin)
	if secret != "" {
		if account.SecretKey, err = credential(p, stdin, "--stripe-secret-key-env", secret); err != nil {
			return account, err
		}
	}
	if webhook != "" {
		account.WebhookSecret, err = credential(p, stdin, "--stripe-webhook-secret-env", webhook)
	}
	return account, err
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
