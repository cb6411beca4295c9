package devstack

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sysProcAttr gives the child a process group, another user where wanted,
// and a signal for the day we die without stopping it.
func sysProcAttr(as *Account, death syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	if as != nil {
		attr.Credential = &syscall.Credential{Uid: as.UID, Gid: as.GID}
	}
	return attr
}

// killTree kills the process, its group and its descendants. The group alone is not enough: PostgreSQL puts each of
// its backends into a session of its own. The root is stopped first so that it cannot start more meanwhile. It returns
// when the descendants are gone: only then have they let go of memory and ports that a restart needs.
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
	for deadline := time.Now().Add(5 * time.Second); slices.ContainsFunc(rest, alive); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return errors.Join(err, fmt.Errorf("processes below %d survive SIGKILL", root.Pid))
		}
	}
	return err
}

// alive reports whether a process still runs.
// A zombie does not: it holds nothing but its number, until its new parent collects it.
func alive(pid int) bool {
	state, _, ok := processState(pid)
	return ok && state != "Z" && state != "X"
}

// processState reads a process's state and its parent.
func processState(pid int) (state string, parent int, ok bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", 0, false // ended
	}
	// pid (command, which may hold spaces and parentheses) state parent ...
	text := string(raw)
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	if len(fields) < 2 {
		return "", 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return fields[0], parent, err == nil
}

// descendants lists the children of pid, their children and so on.
func descendants(pid int) []int {
	children := map[int][]int{}
	entries, _ := os.ReadDir("/proc") // without /proc none can be found
	for _, entry := range entries {
		child, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // not a process
		}
		if _, parent, ok := processState(child); ok {
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

// workingDir reports where a process runs; empty when it is gone or not ours to look at.
func workingDir(pid int) string {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return ""
	}
	return dir
}
