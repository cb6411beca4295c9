package cli

import (
	"cmp"
	"flag"
	"os"
	"os/user"
	"strconv"

	"perennial/billing/audit"
)

// person is the claim of the person at the terminal, for the audit log.
type person audit.Claim

// declare adds what every command takes: commands that change nothing have no use for it, and need not know.
func (w *person) declare(f *flag.FlagSet) {
	f.StringVar(&w.For, "as", "", "")
	f.StringVar(&w.Reason, "reason", "", "")
}

// check refuses half of a claim. Faults are usage errors.
func (w *person) check() error {
	if w.For != "" && w.Reason == "" {
		return Usagef("--as needs --reason: say why you act for %q", w.For)
	}
	for name, text := range map[string]string{"as": w.For, "reason": w.Reason} {
		if !audit.Claimable(text) {
			return Usagef("--%s is one line of at most %d characters", name, audit.MaxClaim)
		}
	}
	return nil
}

// terminalUser returns the name and id of the process's user and the name of the host: ada(1000)@billing-1.
func terminalUser() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	uid := strconv.Itoa(os.Getuid())
	if os.Getuid() < 0 { // not on Unix, where user.Current would believe USER
		if current, err := user.Current(); err == nil {
			return current.Username + "@" + host
		}
	}
	name := ""
	if found, err := user.LookupId(uid); err == nil { // in a container there may be none
		name = found.Username
	}
	if name == "" {
		return uid + "@" + cmp.Or(host, "unknown")
	}
	return name + "(" + uid + ")@" + cmp.Or(host, "unknown")
}
