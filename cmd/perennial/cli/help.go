package cli

import (
	"flag"
	"fmt"
	"strings"

	"perennial/internal/spelling"
)

// help returns the text of --help.
func (c *Command) help(path string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s\n\nUsage: %s\n", path, c.Summary, c.usage(path))
	if c.About != "" {
		fmt.Fprintf(&out, "\n%s\n", c.About)
	}
	if len(c.Subcommands) > 0 {
		out.WriteString("\nCommands:\n")
		for _, sub := range c.Subcommands {
			fmt.Fprintf(&out, "  %-12s %s\n", sub.Name, sub.Summary)
		}
	}
	if flags := c.describeFlags(path); flags != "" {
		fmt.Fprintf(&out, "\nFlags:\n%s", flags)
	}
	if len(c.Examples) > 0 {
		fmt.Fprintf(&out, "\nExamples:\n  %s\n", strings.Join(c.Examples, "\n  "))
	}
	if len(c.Subcommands) > 0 {
		fmt.Fprintf(&out, "\n`%s COMMAND --help` tells more about one.\n", path)
	}
	return out.String()
}

func (c *Command) usage(path string) string {
	if len(c.Subcommands) > 0 {
		return path + " COMMAND"
	}
	usage := path
	if c.describeFlags(path) != "" {
		usage += " [flags]"
	}
	return strings.TrimSpace(usage + " " + c.Arguments)
}

// describeFlags declares the flags once more to list them: a separate list could differ from the flags that are parsed.
func (c *Command) describeFlags(path string) string {
	if c.Setup == nil {
		return ""
	}
	flags := flag.NewFlagSet(path, flag.ContinueOnError)
	c.Setup(flags)
	type row struct{ name, usage string }
	var rows []row
	width := 0
	flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		if !strings.Contains(value, "|") {
			value = strings.ToUpper(value)
		}
		// Defaults that mean "not given" would only make the line longer.
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0s" {
			usage += " (default " + f.DefValue + ")"
		}
		r := row{strings.TrimSpace(dashed(f.Name) + " " + value), usage}
		rows, width = append(rows, r), max(width, len(r.name))
	})
	var out strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&out, "  %-*s  %s\n", width, r.name, r.usage)
	}
	return out.String()
}

// dashed is a flag as people type it: -f, --file.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// suggestion returns the known word that is closest to a mistyped one.
func suggestion(word string, known []string) string {
	best, least := "", 3 // more than two slips are another word
	for _, k := range known {
		if d := spelling.Distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
