package observe

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// missedChanges counts the changes that the log lacks.
type missedChanges struct {
	observer   *observer
	tallies    map[string]tally // of changes that a watch reported and no read has shown
	overlooked int              // changes that there was no room to look at
	recalled   event.Event      // the last event of a log that goes on, if it counts changes
}

// tally counts what watches have reported about a znode since it was last read.
type tally struct{ created, changed, deleted int }

func (t tally) all() int { return t.created + t.changed + t.deleted }

// childCount counts how often a znode's children came and went, as far as that is known.
type childCount struct {
	counted  bool  // cversion comes from a list
	cversion int32 // from the last list: each child that comes or goes adds one
	changes  int   // of these, how many since that list the log has or has reported missed
	expected bool  // for an unread child: the parent's census has counted it as coming
}

// missedIfGone returns how many changes were missed if the znode is gone before it was read.
func (f *childCount) missedIfGone() int {
	if f.expected {
		return 1
	}
	return 0
}

// countChild counts a child of the parent that comes or goes.
func (m *missedChanges) countChild(path string) {
	if n := m.observer.tree.nodes[parent(path)]; n != nil && path != m.observer.tree.root {
		n.changes++
	}
}

// countNew counts a child that is now in the log, unless a watch reported it or a list contained it.
func (m *missedChanges) countNew(path string, n *observed) {
	if !n.expected && m.tallies[path].created == 0 {
		m.countChild(path)
	}
	n.expected = false
}

// census compares how many children came and went by the parent's own count with those that the log knows: came of
// them are new in this list. If the list is partial, there is nothing to compare.
func (m *missedChanges) census(path string, n *observed, stat *zoo.Stat, came int, partly bool) {
	missed := int(stat.Cversion-n.cversion) - n.changes - came
	if n.counted && !partly && missed > 0 {
		m.report(path, missed)
	}
	n.counted, n.cversion, n.changes = true, stat.Cversion, 0
}

// settle reports how many changes of a znode were missed: those that happened by its own count, or that a watch
// reported, minus those in the log.
func (m *missedChanges) settle(path string, happened, logged int) {
	missed := max(m.tallies[path].all(), happened) - logged
	delete(m.tallies, path)
	if m.recalled.N > 0 && m.recalled.Path == event.Preview([]byte(path)) {
		missed -= int(m.recalled.N)
		m.recalled = event.Event{}
	}
	if missed > 0 {
		m.report(path, missed)
	}
}

// report reports that the log lacks changes of a znode or of its children.
func (m *missedChanges) report(path string, n int) {
	m.observer.log.emit(event.Event{Kind: event.RecipeNote, Reason: event.LeftMissed, Path: event.Preview([]byte(path)),
		N: int64(n)})
}
