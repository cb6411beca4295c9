package cli

import (
	"context"
	"io"
	"time"

	"perennial/billing/audit"
	"perennial/db"
	"perennial/internal/config"
)

// Process is the outside world of one command.
type Process struct {
	Lookup func(string) (string, bool)
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Now    func() time.Time
	// command is the running command without arguments: "perennial key create".
	command string
	person  person
}

// Config reads the settings that commands need.
func (p *Process) Config(commands ...config.Command) (config.Config, error) {
	return config.Load(p.Lookup, commands...)
}

// Actor returns the actor of a command: the user of the operating system and the host. The kernel says which user runs
// a process; a variable such as SUDO_USER can be set by its owner to anything. --as claims the person for whom the user
// acts. This is evidence only as far as the host is trusted: with the database's password, any actor can be written.
func (p *Process) Actor() db.Actor {
	return db.ByCLI(terminalUser()).Doing(db.Call{Operation: p.command, Claim: audit.Claim(p.person)})
}

// Pause waits, and fails where ctx ends before.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
