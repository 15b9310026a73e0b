package znode

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/event/window"
)

// CheckRoot returns an error if no log can be about path.
func CheckRoot(path string) error {
	if len(path) > window.MaxPath {
		return fmt.Errorf("it is longer than %d bytes", window.MaxPath)
	}
	return CheckPath(path)
}
