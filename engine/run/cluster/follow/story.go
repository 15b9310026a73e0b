package follow

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Hold reports whether the story of the lock at a path is known back to timeMS, in ms since 1970. If it is, Story
// can return it from now on, in its present state, until later ones need the room of MaxHeld stories.
func (l *Locks) Hold(path string, timeMS int64) bool {
	s, ok := l.story(path, timeMS)
	if ok {
		l.held.put(s)
	}
	return ok
}

// Story returns the story of the lock at a path as a log, up to now or up to when it was held: the znodes by which
// it is held and awaited. ok is false if the story isn't known back to timeMS, in ms since 1970.
func (l *Locks) Story(path string, timeMS int64) (log event.Log, ok bool) {
	s, ok := l.story(path, timeMS)
	if !ok {
		s, ok = l.held.at(path, timeMS)
	}
	if !ok {
		return log, false
	}
	return s.log(), true
}

// LastTurn returns when the lock at a path last changed hands, if that is known without reading anything.
func (l *Locks) LastTurn(path string) (t locks.Turn, ok bool) {
	if znode.CheckRoot(path) != nil {
		return t, false
	}
	if l.on.Feed != nil && l.on.Feed.Joined() {
		return lastTurn(l.joined.summary(path, 0, locks.Known{}).Rows, path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.read {
		if t, ok := lastTurn(r.rows(path), path); ok {
			return t, true
		}
	}
	return t, false
}

// LastSeen returns the lock at a path as last seen, if nothing can be seen now and that is known.
func (l *Locks) LastSeen(path string) (row locks.Row, ok bool) {
	if znode.CheckRoot(path) != nil {
		return row, false
	}
	if l.on.Feed != nil && l.on.Feed.Joined() {
		why, asOf := l.on.Feed.Away()
		if why == "" {
			return row, false
		}
		known := l.joined.known(locks.Known{}, false, asOf.UnixMilli())
		return rowAt(l.joined.summary(path, asOf.UnixMilli(), known).Rows, path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.read {
		if row, ok := rowAt(r.lastRows(), path); ok {
			return row, true
		}
	}
	return row, false
}

func rowAt(rows []locks.Row, path string) (row locks.Row, ok bool) {
	for i := range rows {
		if rows[i].Path == path {
			return rows[i], true
		}
	}
	return row, false
}

func lastTurn(rows []locks.Row, path string) (t locks.Turn, ok bool) {
	for i := range rows {
		if turns := rows[i].Handovers(); rows[i].Path == path && len(turns) > 0 {
			return turns[0], true
		}
	}
	return t, false
}

// story returns the present story.
func (l *Locks) story(path string, timeMS int64) (none heldStory, ok bool) {
	if znode.CheckRoot(path) != nil {
		return none, false
	}
	now := time.Now().UnixMilli()
	if l.on.Feed != nil && l.on.Feed.Joined() {
		s, ok := l.joined.story(path)
		if !ok || !reaches(&s, timeMS) {
			return none, false
		}
		return heldStory{path, event.Header{Host: event.Joined, Root: path}, s, now}, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.read {
		if s, ok := r.story(path); ok && reaches(&s, timeMS) {
			return heldStory{path, event.Header{Host: event.Observed, Root: path}, s, now}, true
		}
	}
	return none, false
}

func reaches(s *locks.Story, timeMS int64) bool { return s.Steps[0].TimeMS <= timeMS }

// logOf converts a story to a log that goes on until untilMS.
func logOf(h event.Header, s *locks.Story, untilMS int64) event.Log {
	before := replay.New(h.Root)
	for path, n := range s.Before {
		before.Put(path, n)
	}
	log := event.Log{Header: h}
	first := s.Steps[0]
	w := feed.NewExcerpt(h.Root, before, &wire.Txn{TimeMS: first.TimeMS, Zxid: first.Zxid}, &log)
	for _, step := range s.Steps {
		if !w.Take(before, &wire.Txn{TimeMS: step.TimeMS, Zxid: step.Zxid}, step.Facts) {
			break
		}
	}
	w.Take(before, &wire.Txn{TimeMS: untilMS}, nil)
	w.Close()
	return log
}

func (j *joinedLocks) story(path string) (locks.Story, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.locks.Story(path)
}

func (r *reading) rows(below string) []locks.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.Done()
	return r.log.Summary(time.Now().UnixMilli(), below, locks.Known{}).Rows
}

// lastRows returns the rows as last seen, if nothing can be seen now.
func (r *reading) lastRows() []locks.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.awayMS == 0 {
		return nil
	}
	return r.summary("/", locks.Known{}).Rows
}

func (r *reading) story(path string) (locks.Story, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.Done()
	return r.log.Story(path)
}
