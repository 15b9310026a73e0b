package naming

import (
	"path"
	"strconv"
	"strings"
)

// Door is where clients wait that want a permit. Curator's and kazoo's semaphores both have one, which is a lock:
// the first in it is at the door, and the others wait behind.
type Door struct {
	Open    bool  // there is such a folder, even if nobody is in it
	Session int64 // of the first client, 0 for none,
	Zxid    int64 // and the transaction that created its znode; 0 if unknown
}

// The folders: Curator's permits and door, and the suffix that kazoo's door adds to the semaphore's name.
const (
	seats  = "leases"
	door   = "locks"
	beside = "-__lock__"
)

// Seats returns the folder that holds the permits of a semaphore at a path, unless the path itself does.
func Seats(at string) string { return path.Join(at, seats) }

// Doors returns the possible doors of a semaphore whose permits are in a folder.
func Doors(folder string) [2]string {
	all := [2]string{folder + beside}
	if path.Base(folder) == seats {
		all[1] = path.Join(path.Dir(folder), door)
	}
	return all
}

// Permit reports whether a child's name is that of a permit, from a semaphore with a separate folder for them.
func Permit(c Child) bool {
	patterns := names()
	for i := range recipes {
		if recipes[i].knocks && patterns[i].matches(c.Name) {
			return true
		}
	}
	return false
}

// Permits reports whether a znode's data is a number of permits, as kazoo's semaphore writes it.
func Permits(data string) bool {
	n, err := strconv.Atoi(data)
	return err == nil && n > 0
}

// Home returns the path of the semaphore to which a folder of permits or a door belongs. The semaphore may not
// exist; ok is false if it can't.
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
