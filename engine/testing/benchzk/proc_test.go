package benchzk

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is Linux' unit of a process' CPU time, the same on all machines.
const clockTick = 10 * time.Millisecond

// cpu returns the CPU time of processes on all processors, in user and system code.
func cpu(pids []int) (sum time.Duration, err error) {
	for _, pid := range pids {
		one, err := cpuOf(pid)
		if err != nil {
			return 0, err
		}
		sum += one
	}
	return sum, nil
}

func cpuOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may contain spaces
	field := strings.Fields(rest)
	if len(field) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat reads %q", pid, text)
	}
	user, err := strconv.Atoi(field[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(field[12])
	return time.Duration(user+system) * clockTick, err
}

// owned returns how much memory the processes have for themselves, in kB. The pages of their program files don't
// count: how many are in memory depends on what other processes read, and the system can take them back.
func owned(pids []int) (sum int, err error) {
	for _, pid := range pids {
		one, err := ownedBy(pid)
		if err != nil {
			return 0, err
		}
		sum += one
	}
	return sum, nil
}

func ownedBy(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "RssAnon:")
	field := strings.Fields(rest)
	if len(field) == 0 {
		return 0, fmt.Errorf("/proc/%d/status has no RssAnon", pid)
	}
	return strconv.Atoi(field[0])
}
