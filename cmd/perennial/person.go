package main

import (
	"cmp"
	"flag"
	"os"
	"os/user"
	"strconv"

	"perennial/billing/audit"
	"perennial/db"
)

// person is what the person at the terminal claims, for the audit log.
type person audit.Claim

// declare adds what every command takes: commands that change nothing have no use for it, and need not know.
func (w *person) declare(f *flag.FlagSet) {
	f.StringVar(&w.For, "as", "", "")
	f.StringVar(&w.Reason, "reason", "", "")
}

// check refuses half of a claim. Faults are usage errors.
func (w *person) check() error {
	if w.For != "" && w.Reason == "" {
		return usagef("--as needs --reason: say why you act for %q", w.For)
	}
	for name, text := range map[string]string{"as": w.For, "reason": w.Reason} {
		if !audit.Claimable(text) {
			return usagef("--%s is one line of at most %d characters", name, audit.MaxClaim)
		}
	}
	return nil
}

// actor is who does what a command of the command line does: the user of the operating system and the host. The kernel
// says which user runs a process; a variable such as SUDO_USER says whatever its owner likes. For whom the user acts is
// what --as claims. It is evidence only as far as the host is trusted: whoever has the database's password may write
// any.
func (p *process) actor() db.Actor {
	return db.ByCLI(terminalUser()).Doing(db.Call{Operation: p.command, Claim: audit.Claim(p.person)})
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
