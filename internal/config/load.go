package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one variable that is wrong.
type Fault struct {
	Variable string
	Problem  string // the fault, without the value of a secret
	Fix      string // what to do
}

// Faults lists every wrong variable, so that one start shows all of them.
type Faults []Fault

func (f Faults) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "the configuration has %d %s; every variable is explained in docs/configuration.md",
		len(f), plural(len(f), "fault"))
	for _, one := range f {
		fmt.Fprintf(&out, "\n  %s %s\n    fix: %s", one.Variable, one.Problem, one.Fix)
	}
	return out.String()
}

// Load reads every variable through lookup (os.LookupEnv) and checks those that the given commands need. An empty value
// counts as absent, because compose files and CI systems write "not set" so. The error is a Faults.
func Load(lookup func(string) (string, bool), commands ...Command) (Config, error) {
	var c Config
	var faults Faults
	for _, v := range variables {
		value, _ := lookup(v.Name)
		text := cmp.Or(strings.TrimSpace(value), v.Default)
		if text == "" {
			if v.neededBy(commands) {
				faults = append(faults, Fault{v.Name, "is not set, and " + join(v.RequiredBy) + " cannot run without it", v.fix()})
			}
			continue
		}
		if problem := v.set(&c, text); problem != "" {
			faults = append(faults, Fault{v.Name, v.show(text) + " " + problem, v.fix()})
		}
	}
	faults = append(faults, together(c)...)
	if len(faults) > 0 {
		return Config{}, faults
	}
	c.BuildID = cmp.Or(c.BuildID, BuiltFrom())
	return c, nil
}

// together checks what no variable can tell alone.
func together(c Config) (faults Faults) {
	for _, pair := range []struct{ variable, cert, key string }{
		{"TEMPORAL_TLS", c.Temporal.TLSCert, c.Temporal.TLSKey}, {"API_TLS", c.HTTP.TLSCert, c.HTTP.TLSKey},
	} {
		if (pair.cert == "") != (pair.key == "") {
			faults = append(faults, Fault{
				pair.variable + "_CERT", "and " + pair.variable + "_KEY must be set together: one is the certificate of the other",
				"set both to paths of PEM files, or neither",
			})
		}
	}
	if c.HTTP.KeyBurst < c.HTTP.KeyRate {
		faults = append(
			faults, Fault{"API_KEY_BURST", "is less than API_KEY_RATE", "give at least API_KEY_RATE, for example twice as much"},
		)
	}
	if (c.Simulator.CallbackURL == "") == c.Simulator.CallbackSecret.IsSet() {
		faults = append(faults, Fault{
			"SIMULATOR_CALLBACK_URL",
			"and SIMULATOR_CALLBACK_SECRET must be set together: an unsigned callback is refused",
			"set both, or neither",
		})
	}
	return faults
}

func (v Variable) neededBy(commands []Command) bool {
	return slices.ContainsFunc(commands, func(c Command) bool { return slices.Contains(v.RequiredBy, c) })
}

func (v Variable) show(text string) string {
	if v.Secret {
		return "(a secret, not shown)"
	}
	return fmt.Sprintf("is %q, which", text)
}

func (v Variable) fix() string {
	return fmt.Sprintf("%s, for example %s=%s", v.Fix, v.Name, v.Example)
}

func join(commands []Command) string {
	var names []string
	for _, c := range commands {
		names = append(names, "`"+string(c)+"`")
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
