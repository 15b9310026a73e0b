package check

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// notBeforeDue compares the time at which work on an item begins with the time in the item's name.
type notBeforeDue struct{}

func (notBeforeDue) reads() []event.Kind { return []event.Kind{event.RecipePhase} }

func (notBeforeDue) append(c *Checker, e event.Event) {
	due, ok := dueTime(e.Path)
	if !program.Phase(e.Text).Traits().Takes || !ok || e.At >= due {
		return
	}
	c.violate(broken(promise.NotBeforeDue, e, []event.Actor{e.Actor}, sentence.Of("broken.not-before-due",
		sentence.Client(e.Actor), sentence.Path(e.Path), sentence.Time(e.At), sentence.Time(due))))
}

// dueTime parses the milliseconds between the last two hyphens of an item's name: item-DUE-NUMBER.
func dueTime(path string) (time.Duration, bool) {
	stem, number := split(path)
	stem, ok := strings.CutSuffix(stem, "-")
	if number < 0 || !ok {
		return 0, false
	}
	ms, err := strconv.ParseInt(stem[strings.LastIndexByte(stem, '-')+1:], 10, 64)
	return time.Duration(ms) * time.Millisecond, err == nil && ms >= 0 && ms <= int64(maxDue/time.Millisecond)
}

// byDue orders a queue by due time, and then by arrival.
func byDue(a, b string) int {
	dueA, _ := dueTime(a)
	dueB, _ := dueTime(b)
	return cmp.Or(cmp.Compare(dueA, dueB), byAge(a, b))
}

// maxDue is more than any of our clocks shows.
const maxDue = 100 * 365 * 24 * time.Hour
