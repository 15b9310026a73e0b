package znode

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// CheckPath returns an error if ZooKeeper would refuse the path. See the ZooKeeper Programmer's Guide, "The ZooKeeper
// Data Model".
func CheckPath(path string) error {
	switch {
	case path == "/":
		return nil
	case !strings.HasPrefix(path, "/"):
		return badPath(path)
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		if part == "" || part == "." || part == ".." {
			return badPath(path)
		}
	}
	for _, r := range path {
		if !allowed(r) {
			return badPath(path)
		}
	}
	return nil
}

func badPath(path string) error {
	return &zoo.Error{Op: "path", Path: path, Code: zoo.ErrBadArguments}
}

// allowed rejects control characters, surrogates, the private use area and everything beyond U+FFEF. ZooKeeper checks
// UTF-16, in which emoji and the like are surrogates.
func allowed(r rune) bool {
	switch {
	case r <= 0x1f, r >= 0x7f && r <= 0x9f:
		return false
	case r >= 0xd800 && r <= 0xf8ff, r >= 0xfff0:
		return false
	}
	return true
}

// reserved reports whether the path can't be deleted.
func reserved(path string) bool {
	switch path {
	case "/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config":
		return true
	}
	return false
}
