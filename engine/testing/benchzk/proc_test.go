package benchzk

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

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
