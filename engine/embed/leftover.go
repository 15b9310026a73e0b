package embed

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/zkviz/zkviz/engine/server"
)

// newPrefix begins the name of the file that a snapshot is written to before it takes the place of the data file. What
// follows is a number.
func newPrefix(path string) string { return "." + filepath.Base(path) + "." }

// longestNumber is how many digits os.CreateTemp puts there at most.
const longestNumber = 10

// removeLeftovers removes what servers have left that were killed while they wrote this data file. It is for who holds
// the file's lock, so that nobody is writing. What may be anybody else's stays: it has to have the name that only such a
// file has, to be a regular file, and to begin as a snapshot does, or to be empty.
func removeLeftovers(path string) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // whoever cannot list the folder has no way to find them
	}
	for _, entry := range entries {
		number, ours := strings.CutPrefix(entry.Name(), newPrefix(path))
		if !ours || !isNumber(number) || !entry.Type().IsRegular() {
			continue
		}
		if name := filepath.Join(dir, entry.Name()); isSnapshot(name) {
			_ = os.Remove(name) // if it cannot be removed it does no more harm than before
		}
	}
}

func isNumber(s string) bool {
	return s != "" && len(s) <= longestNumber && strings.Trim(s, "0123456789") == ""
}

// isSnapshot reports whether a file is the beginning of a snapshot.
func isSnapshot(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(server.SnapshotMagic))
	n, err := io.ReadFull(f, b)
	return (err == nil || err == io.EOF || err == io.ErrUnexpectedEOF) && bytes.HasPrefix([]byte(server.SnapshotMagic), b[:n])
}
