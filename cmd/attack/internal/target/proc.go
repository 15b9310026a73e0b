package target

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Usage is what a process occupies at a moment.
type Usage struct {
	ResidentMB int // VmRSS
	PeakMB     int // VmHWM: the most since the process began, or since ResetPeak
	Files      int // open file descriptors, sockets included
}

// UsageOf reads a process's usage from /proc.
func UsageOf(pid int) (u Usage, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		kb, _ := strconv.Atoi(fields[0]) // other fields are no numbers
		switch name {
		case "VmRSS":
			u.ResidentMB = kb >> 10
		case "VmHWM":
			u.PeakMB = kb >> 10
		}
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return u, fmt.Errorf("count the files of process %d: %w", pid, err)
	}
	u.Files = len(files)
	return u, nil
}

// ResetPeak begins a new PeakMB. Where the system does not allow it, the peak stays that of the whole life.
func ResetPeak(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// Ticks are processor time, in units of the kernel's clock (100 a second).
type Ticks struct {
	Machine int64 // all that all processors could have given
	Busy    int64 // of it, what somebody used, other virtual machines of the host included
	Ours    int64 // of that, what the given processes used, with their children that have ended
}

// TicksOf reads the machine's and some processes' time. Processes that are gone count nothing, so it is read while
// they live.
func TicksOf(pids ...int) (t Ticks) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil || i > 8 { // the first field is a name; guests are in user time already
			continue
		}
		t.Machine += n
		if i != 4 && i != 5 { // idle, and waiting for a disk
			t.Busy += n
		}
	}
	for _, pid := range pids {
		t.Ours += processTicks(pid)
	}
	return t
}

// processTicks adds the fields utime, stime, cutime and cstime of /proc/PID/stat, which follow a name in brackets.
func processTicks(pid int) (sum int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	for i := 11; i < 15 && i < len(fields); i++ {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		sum += n
	}
	return sum
}

// Leftovers are the names in a folder.
func Leftovers(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for what is left: %w", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return names, nil
}
