//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestLogPipe reads a log next to pipes without writers, and doesn't wait for them.
func TestLogPipe(t *testing.T) {
	dir := crashed(t, map[string][]byte{"log.1": held()})
	for _, name := range []string{"log.3", "snapshot.2", "snapshot.0"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	prints(t, 0, []string{dir, "--hands", "/lock"}, "held by 0x7", "log.3: it's not a file",
		filepath.Join(dir, "log.3")+" can't be read.")
	prints(t, exitTrouble, []string{filepath.Join(dir, "log.3")}, "it's not a file but something like a pipe")
}
