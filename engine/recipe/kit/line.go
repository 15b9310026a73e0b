package kit

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// This file is about recipes that queue up: each client creates one sequential znode, and the numbers say who comes
// first.

// ProgramRole is the Role function of a recipe whose clients are two programs that share a lock.
func ProgramRole(index, _ int) string {
	if index%2 == 0 {
		return "batch"
	}
	return "web"
}

// digits is the number of digits at the end of a sequential name.
const digits = 10

// Join queues up: it creates an ephemeral sequential znode in dir and returns its name. The name contains the session,
// so that after a lost reply the znode is found again instead of created twice.
func Join(c zoo.Client, dir, prefix string) (string, error) {
	mine := prefix + strconv.FormatInt(c.SessionID(), 16) + "-"
	for {
		path, err := c.Create(dir+"/"+mine, nil, zoo.EphemeralSequential)
		if !Unknown(err) {
			return strings.TrimPrefix(path, dir+"/"), err
		}
		name, err := Look(c, dir, mine)
		if err != nil || name != "" {
			return name, err
		}
	}
}

// Look finds the child of dir that begins with prefix, if there is one. After a lost connection, the present server may
// not have the client's earlier request yet: so that server catches up first.
func Look(c zoo.Client, dir, prefix string) (string, error) {
	if err := CatchUp(c, dir); err != nil {
		return "", err
	}
	for {
		names, _, err := c.Children(dir)
		if Unknown(err) {
			continue
		}
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				return name, err
			}
		}
		return "", err
	}
}

// CatchUp makes the client's server catch up with the leader.
func CatchUp(c zoo.Client, path string) error {
	for {
		if err := c.Sync(path); !Unknown(err) {
			return err
		}
	}
}

// ErrGone reports that somebody else has deleted a queue member's znode.
var ErrGone = errors.New("my znode is gone, and my session is not: somebody deleted it")

// IsFirst reports whether no name has a smaller number than mine.
func IsFirst(names []string, mine string) (bool, error) {
	for _, name := range names {
		if byDigits(name) < byDigits(mine) {
			return false, nil
		}
	}
	if !slices.Contains(names, mine) {
		return false, ErrGone
	}
	return true, nil
}

// Before counts the names with a smaller number than mine.
func Before(names []string, mine string) (n int) {
	for _, name := range names {
		if byDigits(name) < byDigits(mine) {
			n++
		}
	}
	return n
}

// InLine says in words at which place somebody is who has so many before it.
func InLine(before int) string {
	n, end := before+1, "th"
	if n%100/10 != 1 && 0 < n%10 && n%10 < 4 {
		end = [...]string{"st", "nd", "rd"}[n%10-1]
	}
	return strconv.Itoa(n) + end + " in line"
}

// JustAhead returns the name with the greatest number below that of mine, empty if mine comes first.
func JustAhead(names []string, mine string) (ahead string, err error) {
	last, best, there := byDigits(mine), "", false
	for _, name := range names {
		n := byDigits(name)
		if n >= last {
			there = there || name == mine
			continue
		}
		if n > best {
			ahead, best = name, n
		}
	}
	if !there {
		return "", ErrGone
	}
	return ahead, nil
}

// ByNumber compares sequential names by their digits, for sorting them.
func ByNumber(a, b string) int { return strings.Compare(byDigits(a), byDigits(b)) }

// byDigits returns the part of a sequential name to compare: the digits at its end, never what precedes them.
func byDigits(name string) string {
	return name[max(len(name)-digits, 0):]
}

// Number returns the sequence number at the end of a name, 0 if there is none.
func Number(name string) int64 {
	n, err := strconv.ParseInt(byDigits(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// First returns the name with the smallest number, empty if there are no names.
func First(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return slices.MinFunc(names, ByNumber)
}
