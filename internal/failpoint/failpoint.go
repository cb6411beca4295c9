// Package failpoint owns the named places where a test may end the process as a power cut would. It does not own the
// checks afterwards: they belong to the test.
//
// FAILPOINT="charge_answered:2" kills the process with SIGKILL when it passes that place for the second time; several
// are separated by commas. FAILPOINT_LOG names a file to which the hit is written first, so that the test can
// distinguish the requested crash from any other.
package failpoint

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// The variables that Enable reads.
const (
	EnvSpec = "FAILPOINT"
	EnvLog  = "FAILPOINT_LOG"
)

// armed is nil unless Enable was given something: passing a failpoint then costs one atomic load.
var armed atomic.Pointer[plan]

type plan struct {
	left    map[Name]*atomic.Int64
	logFile string
	die     func()
}

// Enable arms the failpoints of the environment. Call it once, before any work starts. An unknown name is an error: a
// test whose failpoint was renamed must not pass because there is no crash any more.
func Enable(lookup func(string) (string, bool)) error {
	spec, ok := lookup(EnvSpec)
	if !ok || spec == "" {
		return nil
	}
	logFile, _ := lookup(EnvLog)
	p, err := parse(spec, logFile)
	if err != nil {
		return err
	}
	armed.Store(p)
	return nil
}

// Hit passes the named place. It returns at once unless this is the pass for which it was armed.
func Hit(name Name) {
	if p := armed.Load(); p != nil {
		p.hit(name)
	}
}

func (p *plan) hit(name Name) {
	left, ok := p.left[name]
	if !ok || left.Add(-1) != 0 {
		return
	}
	if err := p.record(name); err != nil {
		panic(fmt.Sprintf("failpoint %s: cannot write %s: %v", name, p.logFile, err)) // the test would not see its crash
	}
	p.die()
}

// record is synced to disk before the process dies.
func (p *plan) record(name Name) error {
	if p.logFile == "" {
		return nil
	}
	f, err := os.OpenFile(p.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(string(name) + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

func parse(spec, logFile string) (*plan, error) {
	p := &plan{left: map[Name]*atomic.Int64{}, logFile: logFile, die: kill}
	for one := range strings.SplitSeq(spec, ",") {
		text, pass, counted := strings.Cut(one, ":")
		name, n := Name(text), int64(1)
		if counted {
			var err error
			if n, err = strconv.ParseInt(pass, 10, 64); err != nil || n < 1 {
				return nil, fmt.Errorf("%s=%q: %q is not a number of passes from 1 up", EnvSpec, spec, pass)
			}
		}
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%s=%q: there is no failpoint %q; there are %v", EnvSpec, spec, name, names)
		}
		p.left[name] = &atomic.Int64{}
		p.left[name].Store(n)
	}
	return p, nil
}

// kill ends this process without running anything more of it.
func kill() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // the signal may need a moment to arrive; nothing may happen meanwhile
}
