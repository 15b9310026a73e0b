package conform

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// home returns the path below which a generated script with that number has most of its znodes. Its length is constant,
// so that it can be replaced within bytes.
func home(n int) string { return fmt.Sprintf("/t%06d", n%1_000_000) }

// elsewhere returns the script with another home, where no earlier try has left anything.
func (s Script) elsewhere(try int) Script {
	from := s.home()
	if from == "" {
		return s
	}
	to := fmt.Sprintf("/u%06d", try%1_000_000)
	moved := slices.Clone(s)
	for i := range moved {
		moved[i].Bytes = bytes.ReplaceAll(moved[i].Bytes, []byte(from), []byte(to))
		move(&moved[i].Req, from, to)
	}
	return moved
}

// home returns the path of the first znode of a generated script.
func (s Script) home() string {
	for i := range s {
		if p := s[i].Req.Path; len(p) >= len(home(0)) && strings.HasPrefix(p, "/t") {
			return p[:len(home(0))]
		}
	}
	return ""
}

func move(r *wire.Request, from, to string) {
	r.Path = strings.ReplaceAll(r.Path, from, to)
	for _, f := range fieldsOf(r.Op) {
		if list := watchList(r, f); list != nil {
			*list = slices.Clone(*list)
			for i, p := range *list {
				(*list)[i] = strings.ReplaceAll(p, from, to)
			}
		}
	}
	r.Ops = slices.Clone(r.Ops)
	for i := range r.Ops {
		move(&r.Ops[i], from, to)
	}
}
