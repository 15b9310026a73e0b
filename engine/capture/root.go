package capture

import (
	"fmt"
	"strings"

	paths "github.com/zkviz/zkviz/engine/znode"
)

// ValidRoot returns an error if no log can be about path.
func ValidRoot(path string) error {
	if len(path) > MaxPath {
		return fmt.Errorf("it is longer than %d bytes", MaxPath)
	}
	return paths.CheckPath(path)
}

// Within reports whether path is root or below it.
func Within(path, root string) bool {
	return root == "/" || path == root || strings.HasPrefix(path, root) && path[len(root)] == '/'
}
