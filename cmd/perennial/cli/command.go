package cli

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

// Command is one word of the command line: it has an action or subcommands.
type Command struct {
	Name        string
	Summary     string // a clause, for the list
	Arguments   string // the arguments behind the flags
	About       string // notes for people; printed line by line
	Examples    []string
	Subcommands []*Command
	Setup       func(*flag.FlagSet) Action
}

// Action performs a command once its flags are parsed. A usageError prints the usage and ends with exit code 2; ErrTold
// prints nothing more.
type Action func(ctx context.Context, p *Process, args []string) error

// The exit codes.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
	ExitDiffer = 3 // of commands that compare
)

// usageError is a command line that means nothing.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// Usagef makes a usageError.
func Usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// ErrTold is a failure that the command has already explained on its output.
var ErrTold = errors.New("failed")

// ErrDiffers ends a command that compares, with exit code 3: there are differences, which its output shows.
var ErrDiffers = errors.New("there are differences")

// Execute finds the command that args name and runs it.
func (c *Command) Execute(ctx context.Context, p *Process, args []string) int {
	path := c.Name
	for len(c.Subcommands) > 0 {
		if len(args) == 0 {
			_, _ = io.WriteString(p.Stderr, c.help(path)) // a failure to write cannot be reported
			return ExitUsage
		}
		word := args[0]
		switch {
		case isHelp(word):
			return c.showHelp(p, path, args[1:])
		case word == "--version" && c.Name == path:
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
	flags.SetOutput(io.Discard) // its messages are replaced below
	do := c.Setup(flags)
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
	case len(rest) > 0 && c.Arguments == "":
		return c.misused(p, path, fmt.Sprintf("%q is too much: this command takes flags only", rest[0]))
	}
	p.command = path
	err = do(ctx, p, rest)
	var usage usageError
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, ErrDiffers):
		return ExitDiffer
	case errors.As(err, &usage):
		return c.misused(p, path, usage.text)
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		_, _ = fmt.Fprintf(p.Stderr, "%s: interrupted\n", path) // a failure to write cannot be reported
	case !errors.Is(err, ErrTold):
		_, _ = fmt.Fprintf(p.Stderr, "%s: %s\n", path, Describe(err)) // a failure to write cannot be reported
	}
	return ExitFailed
}

// parse accepts flags and arguments in any order, as people type them; after "--" there are arguments only.
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

func (c *Command) find(name string) *Command {
	for _, sub := range c.Subcommands {
		if sub.Name == name {
			return sub
		}
	}
	return nil
}

func (c *Command) unknown(word string) string {
	var names []string
	for _, sub := range c.Subcommands {
		names = append(names, sub.Name)
	}
	return fmt.Sprintf("there is no command %q%s", word, suggestion(word, names))
}

// showHelp also serves `perennial help key create`.
func (c *Command) showHelp(p *Process, path string, words []string) int {
	for _, word := range words {
		next := c.find(word)
		if next == nil {
			return c.misused(p, path, c.unknown(word))
		}
		c, path = next, path+" "+word
	}
	if _, err := io.WriteString(p.Stdout, c.help(path)); err != nil {
		return ExitFailed
	}
	return ExitDone
}

func (c *Command) misused(p *Process, path, text string) int {
	// Standard error is the last place: if it is closed, the exit code is all that a script gets.
	_, _ = fmt.Fprintf(p.Stderr, "%s: %s\nRun `%s --help` for how it is used.\n", path, text, path)
	return ExitUsage
}

// explain returns the error of the flag package in our words.
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
func showVersion(p *Process) int {
	build, _ := p.Lookup("PERENNIAL_BUILD_ID")
	if build == "" {
		build = config.BuiltFrom()
	}
	if _, err := fmt.Fprintf(p.Stdout, "perennial %s\n", build); err != nil {
		return ExitFailed
	}
	return ExitDone
}
