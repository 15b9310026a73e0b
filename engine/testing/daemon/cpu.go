package daemon

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is Linux' unit of a process' CPU time, the same on all machines.
const clockTick = 10 * time.Millisecond

// CPU returns the CPU time of processes on all processors, in user and system code. It is an error if one of them has
// ended, or if the system isn't Linux.
func CPU(pids ...int) (sum time.Duration, err error) {
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
