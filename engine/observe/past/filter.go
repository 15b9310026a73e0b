package past

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// Kinds lists the kinds of facts that transactions have.
var Kinds = []event.Kind{event.SessionCreated, event.SessionClosed, event.SessionExpired, event.TxnApplied,
	event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted}

// Filter selects facts of transactions. The zero values of all fields except Below and Until select everything.
type Filter struct {
	Below        string       // a znode: select it and everything below it
	Sessions     []int64      // select what these have requested
	Kinds        []event.Kind // if empty, all but redundant facts
	Since, Until int64        // ms since 1970; Until is exclusive. 0 and math.MaxInt64 mean no limit
	// Come lists sessions whose opening and end are also selected when Below isn't everything.
	Come map[int64]struct{}
}

// Everything returns a filter that selects everything.
func Everything() Filter { return Filter{Below: "/", Until: math.MaxInt64} }

// At reports whether the filter selects that time. A leader's clock may show any time, even one before 1970.
// Without limits, all of them are selected.
func (f *Filter) At(ms int64) bool { return (ms >= f.Since || f.Since == 0) && !f.After(ms) }

// After reports whether a time is after the filter's range.
func (f *Filter) After(ms int64) bool { return ms >= f.Until && f.Until != math.MaxInt64 }

// Has reports whether the filter selects a fact, one of n of a transaction. It skips a TxnApplied when other facts
// show its effect, and sessions that change nothing in the selected subtree.
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

// OfSession reports whether a kind of fact is about a session rather than a znode.
func OfSession(k event.Kind) bool {
	return k == event.SessionCreated || k == event.SessionClosed || k == event.SessionExpired
}

// ParseSession parses a session's id as ZooKeeper writes it.
func ParseSession(text string) (int64, error) {
	id, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(text), "0x"), 16, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a session ID: write it as ZooKeeper does, like 0x100000abc0001", text)
	}
	return int64(id), nil
}

// ParseKind parses the name of one of Kinds.
func ParseKind(text string) (event.Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k event.Kind) bool { return k.String() == text })
	if i < 0 {
		return 0, false
	}
	return Kinds[i], true
}
