package devstack

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// sysProcAttr gives the child a process group, another user where wanted, and a signal for the day we die without
// stopping it.
func sysProcAttr(as *Account, death syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	if as != nil {
		attr.Credential = &syscall.Credential{Uid: as.UID, Gid: as.GID}
	}
	return attr
}

// killTree kills the process, its group and its descendants. The group alone is not enough: PostgreSQL puts each of
// its backends into a session of its own. The root is stopped first so that it cannot start more meanwhile.
func killTree(root *os.Process) error {
	if err := root.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	rest := descendants(root.Pid)
	err := syscall.Kill(-root.Pid, syscall.SIGKILL)
	for _, pid := range rest {
		if e := syscall.Kill(pid, syscall.SIGKILL); e != nil && !errors.Is(e, syscall.ESRCH) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// descendants lists the children of pid, their children and so on.
func descendants(pid int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is constant, so it cannot be malformed
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // ended since the listing
		}
		// pid (command, which may hold spaces and parentheses) state ppid ...
		head, rest, ok := cutLast(string(raw), ") ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		child, err1 := strconv.Atoi(strings.SplitN(head, " ", 2)[0])
		parent, err2 := strconv.Atoi(fields[1])
		if err1 == nil && err2 == nil {
			children[parent] = append(children[parent], child)
		}
	}
	var all []int
	for queue := children[pid]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return all
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// workingDir tells where a process runs; empty when it is gone or not ours to look at.
func workingDir(pid int) string {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return ""
	}
	return dir
}
