package past

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/replay"
)

// Kinds are the kinds of facts that transactions have.
var Kinds = []event.Kind{event.SessionCreated, event.SessionClosed, event.SessionExpired, event.TxnApplied,
	event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted}

// Filter is what of the transactions is wanted. All but a path and a time is left as it is for everything.
type Filter struct {
	Below        string       // a znode: what happens to it and below it
	Sessions     []int64      // what these have asked for
	Kinds        []event.Kind // all but what goes without saying if there are none
	Since, Until int64        // ms since 1970; Until is not in it. 0 and math.MaxInt64 leave nothing out
	// Come are sessions of which it's wanted, too, that they were opened and ended, though Below isn't everything.
	Come map[int64]struct{}
}

// Everything is a filter that leaves nothing out.
func Everything() Filter { return Filter{Below: "/", Until: math.MaxInt64} }

// At reports whether something at that time is wanted. A leader's clock may be anywhere, even before 1970: if no time
// is left out, that is wanted, too.
func (f *Filter) At(ms int64) bool { return (ms >= f.Since || f.Since == 0) && !f.After(ms) }

// After reports whether a time is after those that are wanted.
func (f *Filter) After(ms int64) bool { return ms >= f.Until && f.Until != math.MaxInt64 }

// Has reports whether a fact, one of n of a transaction, is wanted. That a write was applied goes without saying where
// it says what became of it, and so do sessions that leave nothing where one looks.
func (f *Filter) Has(fact *replay.Fact, n int) bool {
	if len(f.Sessions) > 0 && !slices.Contains(f.Sessions, fact.By) {
		return false
	}
	if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, fact.Kind) {
		return false
	}
	if OfSession(fact.Kind) {
		_, come := f.Come[fact.Session]
		return f.Below == "/" || n > 1 || come
	}
	return fact.Kind != event.TxnApplied || n == 1 || len(f.Kinds) > 0
}

// OfSession reports whether a kind of fact is about a session, and not about a znode.
func OfSession(k event.Kind) bool {
	return k == event.SessionCreated || k == event.SessionClosed || k == event.SessionExpired
}

// ParseSession reads a session's id as ZooKeeper writes it.
func ParseSession(text string) (int64, error) {
	id, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(text), "0x"), 16, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no session: write it as ZooKeeper does, such as 0x100000abc0001", text)
	}
	return int64(id), nil
}

// ParseKind reads the name of a kind of Kinds.
func ParseKind(text string) (event.Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k event.Kind) bool { return k.String() == text })
	if i < 0 {
		return 0, false
	}
	return Kinds[i], true
}
