package naming

import (
	"path"
	"strconv"
	"strings"
)

// Door is where those stand who want a permit. Both of Curator's semaphores and kazoo's have one, which is a lock: the
// first in it is at the door, and the others wait behind.
type Door struct {
	Open    bool  // there is such a folder, whether or not somebody is there
	Session int64 // of the client that is first, 0 for none,
	Zxid    int64 // and the transaction that made its znode; 0 if that's not known
}

// The folders: that of Curator's permits and its door, and what kazoo's door has behind the semaphore's name.
const (
	seats  = "leases"
	door   = "locks"
	beside = "-__lock__"
)

// Seats returns the folder in which the permits of a semaphore at a path are, if it's not the path itself.
func Seats(at string) string { return path.Join(at, seats) }

// Doors returns the folders that are the doors of a semaphore with permits in a folder, if there are such folders.
func Doors(folder string) [2]string {
	all := [2]string{folder + beside}
	if path.Base(folder) == seats {
		all[1] = path.Join(path.Dir(folder), door)
	}
	return all
}

// Permit reports whether a child is a permit by its name, of a semaphore that keeps them in a folder of their own.
func Permit(c Child) bool {
	patterns := names()
	for i := range recipes {
		if recipes[i].knocks && patterns[i].matches(c.Name) {
			return true
		}
	}
	return false
}

// Permits reports whether a znode's data is how many permits there are, as kazoo's semaphore writes it.
func Permits(data string) bool {
	n, err := strconv.Atoi(data)
	return err == nil && n > 0
}

// Home returns the path of the semaphore that a folder of its own belongs to: its permits, or its door. It may be that
// there is no such semaphore; ok is false if there can't be.
func Home(folder string) (at string, ok bool) {
	dir, name := path.Split(folder)
	switch {
	case name == seats || name == door:
		return path.Clean(dir), dir != "/" && dir != ""
	case strings.HasSuffix(name, beside) && name != beside:
		return strings.TrimSuffix(folder, beside), true
	}
	return "", false
}
