package protocol

import (
	"fmt"
	"strings"
)

// ValidatePath checks a path by ZooKeeper's rules, before a server is asked.
func ValidatePath(p string) error {
	bad := func(why string) error {
		return fmt.Errorf("%q is not the path of a znode: %s", Clip(p), why)
	}
	switch {
	case len(p) > MaxPath:
		return bad(fmt.Sprintf("it has more than %d bytes", MaxPath))
	case !strings.HasPrefix(p, "/"):
		return bad("it does not begin with /")
	case p == "/":
		return nil
	case strings.HasSuffix(p, "/"):
		return bad("it ends in /")
	}
	for name := range strings.SplitSeq(p[1:], "/") {
		if name == "" || name == "." || name == ".." {
			return bad(fmt.Sprintf("it has the part %q", name))
		}
	}
	for _, r := range p {
		if r < 0x20 || r >= 0x7f && r <= 0x9f || r >= 0xd800 && r <= 0xf8ff || r >= 0xfff0 && r <= 0xffff {
			return bad(fmt.Sprintf("it has the character %U", r))
		}
	}
	return nil
}
