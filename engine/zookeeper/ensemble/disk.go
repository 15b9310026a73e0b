package ensemble

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// slowFsync is the time of one fsync on a slow disk. ZooKeeper would warn about it (fsync.warningthresholdms).
const slowFsync = time.Second

func (s *Server) fsync() time.Duration {
	if s.slow > 0 {
		return max(slowFsync, s.c.cfg.Fsync)
	}
	return s.c.cfg.Fsync
}

// write starts a disk write that the server must wait for. It reports false if there is nothing to wait for.
func (s *Server) write(e *zab.Effect) bool {
	if e.Kind == zab.Flush && s.Disk.Durable == len(s.Disk.Log) {
		return false
	}
	life := s.life
	s.c.cfg.Plan(s.c.cfg.Now()+s.fsync(), Step{kind: written, to: s.id, life: life})
	return true
}

// written ends the wait of the process of that life for its disk or its phase.
func (s *Server) written(life uint32) {
	switch {
	case !s.up || s.life != life:
	case s.paused > 0:
		s.diskDone = true
	default:
		s.diskReady()
	}
}

// diskReady continues after that wait.
func (s *Server) diskReady() {
	s.busy, s.changesPhase = false, false
	e := s.effects[0]
	rest := s.effects[1:]
	s.effects = append([]zab.Effect(nil), rest...)
	s.effect(&e)
	if s.up {
		s.resumeEffects()
		s.catchUp()
	}
}

// onDisk carries out the effects on the disk. It reports false for other effects.
func (s *Server) onDisk(e *zab.Effect) bool {
	d := &s.Disk
	switch e.Kind {
	case zab.Append:
		d.Append(e.Entry)
		s.bytes += int64(e.Entry.Txn.Bytes())
		s.log.loggedBy = s.log.emit(event.Event{Kind: event.TxnLogged, Zxid: int64(e.Entry.Zxid), N: s.c.digest(e.Entry.Txn),
			Cause: s.log.cause})
		s.flushSoon()
	case zab.Flush:
		s.synced(d.Last())
	case zab.SetAccepted:
		d.Accepted = e.Epoch
		s.log.follow(event.Event{Kind: event.EpochPromised, Code: int32(e.Epoch), Peer: event.Server(int(e.To))})
	case zab.SetCurrent:
		d.Current = e.Epoch
		s.log.follow(event.Event{Kind: event.EpochAdopted, Code: int32(e.Epoch), Peer: event.Server(int(e.To))})
	case zab.Truncate:
		d.Truncate(e.Zxid)
		s.delivered = min(s.delivered, e.Zxid)
		s.log.follow(event.Event{Kind: event.LogTruncated, Zxid: int64(e.Zxid)})
	case zab.Save:
		d.Save(e.Message.Snapshot)
		s.delivered = e.Message.Snapshot.Zxid
		s.log.follow(event.Event{Kind: event.SnapshotSaved, Zxid: int64(e.Message.Snapshot.Zxid)})
	default:
		return false
	}
	return true
}

// flushSoon starts a flush of the log. If one is running, the next flush covers everything appended meanwhile.
func (s *Server) flushSoon() {
	if s.flushing {
		return
	}
	s.flushing = true
	s.c.cfg.Plan(s.c.cfg.Now()+s.fsync(), Step{kind: flushed, to: s.id, life: s.life, zxid: s.Disk.Last()})
}

// flushed handles the end of a flush: the log is on the disk up to z.
func (s *Server) flushed(z zab.Zxid) {
	s.flushing = false
	s.synced(z)
	s.node.Synced(s.c.cfg.Now(), z)
	if s.Disk.Durable < len(s.Disk.Log) {
		s.flushSoon()
	}
}

func (s *Server) synced(z zab.Zxid) {
	if before := s.Disk.Synced(); z <= before {
		return
	}
	s.Disk.Sync(z)
	s.log.cause = cmp.Or(s.log.cause, s.log.loggedBy)
	s.log.follow(event.Event{Kind: event.LogSynced, Zxid: int64(s.Disk.Synced())})
}

// shorten writes a snapshot of the applied state when the log is too long, and drops the older half of the log. It
// emits no event, because only a learner that lacks the dropped entries can tell the difference.
func (s *Server) shorten() {
	cfg := &s.c.cfg
	long := cfg.Keep > 0 && len(s.Disk.Log) >= cfg.Keep
	large := cfg.KeepBytes > 0 && s.bytes >= cfg.KeepBytes
	if !long && !large || s.Disk.Synced() < s.memory.applied {
		return
	}
	s.Disk.Shorten(zab.Snapshot{Zxid: s.memory.applied, State: s.memory.app.Snapshot()}, len(s.Disk.Log)/2)
	s.bytes = 0
}
