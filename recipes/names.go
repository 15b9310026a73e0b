package recipes

import (
	"errors"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// withPrefix are the names that begin with prefix.
func withPrefix(names []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, prefix) })
}

// watchFor leaves a watch on a znode that may not be there yet.
func watchFor(c zoo.Client, path string) (changed zoo.Watch, there bool, err error) {
	for {
		there, _, changed, err = c.ExistsW(path)
		if !kit.Unknown(err) {
			return changed, there, err
		}
	}
}

// made takes a znode that is there already for success: only the answer to its creation was lost, or somebody
// else was as quick to do the same.
func made(_ string, err error) error {
	if errors.Is(err, zoo.ErrNodeExists) {
		return nil
	}
	return err
}
