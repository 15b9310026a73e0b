package protocol

import (
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// ValidatePath checks a path by ZooKeeper's rules before a server is asked.
func ValidatePath(p string) error {
	bad := func(key string, args ...sentence.Arg) error {
		return sentence.Error("bad.path", sentence.Quote(p), sentence.Sentences(sentence.Of(key, args...)))
	}
	switch {
	case len(p) > MaxPath:
		return bad("bad.path.long", sentence.Number(MaxPath))
	case !strings.HasPrefix(p, "/"):
		return bad("bad.path.start")
	case p == "/":
		return nil
	case strings.HasSuffix(p, "/"):
		return bad("bad.path.end")
	}
	for name := range strings.SplitSeq(p[1:], "/") {
		if name == "" || name == "." || name == ".." {
			return bad("bad.path.part", sentence.Quote(name))
		}
	}
	for _, r := range p {
		if r < 0x20 || r >= 0x7f && r <= 0x9f || r >= 0xd800 && r <= 0xf8ff || r >= 0xfff0 {
			return bad("bad.path.character", sentence.Text(fmt.Sprintf("%U", r)))
		}
	}
	return nil
}
