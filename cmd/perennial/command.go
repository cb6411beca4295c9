package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"perennial/internal/config"
)

// command is one word of the command line: it does something, or it has subcommands.
type command struct {
	name        string
	summary     string // a clause, for the list
	arguments   string // what follows the flags
	about       string // what people must know; lines as they shall be printed
	examples    []string
	subcommands []*command
	setup       func(*flag.FlagSet) action
}

// action is what a command does once its flags are parsed. A usageError prints how the command is used and ends with
// exit code 2; errTold prints nothing more.
type action func(ctx context.Context, p *process, args []string) error

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitDiffer = 3 // of commands that compare
)

// usageError is a command line that means nothing.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errTold is a failure that the command has already explained on its output.
var errTold = errors.New("failed")

// errDiffers ends a command that compares, with exit code 3: there are differences, which its output shows.
var errDiffers = errors.New("there are differences")

// execute finds the command that args name and runs it.
func (c *command) execute(ctx context.Context, p *process, args []string) int {
	path := c.name
	for len(c.subcommands) > 0 {
		if len(args) == 0 {
			_, _ = io.WriteString(p.stderr, c.help(path)) // nowhere else to say it
			return exitUsage
		}
		word := args[0]
		switch {
		case isHelp(word):
			return c.showHelp(p, path, args[1:])
		case word == "--version" && c.name == path:
			return showVersion(p)
		}
		next := c.find(word)
		if next == nil {
			return c.misused(p, path, c.unknown(word))
		}
		c, path, args = next, path+" "+word, args[1:]
	}
	// ContinueOnError: the package would else end the process, and print its own usage.
	flags := flag.NewFlagSet(path, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // what it would say is said better below
	do := c.setup(flags)
	p.person.declare(flags)
	rest, err := parse(flags, args)
	if err == nil {
		err = p.person.check()
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return c.showHelp(p, path, nil)
	case err != nil:
		return c.misused(p, path, explain(flags, err))
	case len(rest) > 0 && c.arguments == "":
		return c.misused(p, path, fmt.Sprintf("%q is too much: this command takes flags only", rest[0]))
	}
	p.command = path
	err = do(ctx, p, rest)
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errDiffers):
		return exitDiffer
	case errors.As(err, &usage):
		return c.misused(p, path, usage.text)
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		_, _ = fmt.Fprintf(p.stderr, "%s: interrupted\n", path) // nowhere else to say it
	case !errors.Is(err, errTold):
		_, _ = fmt.Fprintf(p.stderr, "%s: %s\n", path, describe(err)) // nowhere else to say it
	}
	return exitFailed
}

// parse lets flags and arguments come in any order, as people type them; after "--" come arguments only.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		left := flags.Args()
		parsed := args[:len(args)-len(left)]
		if len(left) == 0 || len(parsed) > 0 && parsed[len(parsed)-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

func (c *command) find(name string) *command {
	for _, sub := range c.subcommands {
		if sub.name == name {
			return sub
		}
	}
	return nil
}

func (c *command) unknown(word string) string {
	var names []string
	for _, sub := range c.subcommands {
		names = append(names, sub.name)
	}
	return fmt.Sprintf("there is no command %q%s", word, suggestion(word, names))
}

// showHelp also serves `perennial help key create`.
func (c *command) showHelp(p *process, path string, words []string) int {
	for _, word := range words {
		next := c.find(word)
		if next == nil {
			return c.misused(p, path, c.unknown(word))
		}
		c, path = next, path+" "+word
	}
	if _, err := io.WriteString(p.stdout, c.help(path)); err != nil {
		return exitFailed
	}
	return exitDone
}

func (c *command) misused(p *process, path, text string) int {
	// Standard error is the last place: if it is closed, the exit code is all that a script gets.
	_, _ = fmt.Fprintf(p.stderr, "%s: %s\nRun `%s --help` for how it is used.\n", path, text, path)
	return exitUsage
}

// explain says in our words what the flag package found wrong.
func explain(flags *flag.FlagSet, err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var names []string
		flags.VisitAll(func(f *flag.Flag) { names = append(names, dashed(f.Name)) })
		wrong := "--" + strings.TrimLeft(name, "-")
		return fmt.Sprintf("there is no flag %s%s", wrong, suggestion(wrong, names))
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Sprintf("--%s needs a value", strings.TrimLeft(name, "-"))
	}
	return text
}

func isHelp(word string) bool {
	return slices.Contains([]string{"help", "--help", "-help", "-h"}, word)
}

// showVersion prints which build this is, by the name that Temporal's worker versioning has for it.
func showVersion(p *process) int {
	build, _ := p.lookup("PERENNIAL_BUILD_ID")
	if build == "" {
		build = config.BuiltFrom()
	}
	if _, err := fmt.Fprintf(p.stdout, "perennial %s\n", build); err != nil {
		return exitFailed
	}
	return exitDone
}
