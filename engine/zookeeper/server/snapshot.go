package server

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// A snapshot is its magic, a checksum of the rest, varints that are not part of the tree, and the tree's own snapshot.
// The varints are the seed, the next session's number, the number of sessions, and for each session its number, its
// timeout in ms and its actor.

// SnapshotMagic starts every snapshot. It ends with the format's version.
const SnapshotMagic = "zkserv\x00\x01"

const headBytes = len(SnapshotMagic) + 4

// Snapshot appends the tree and the sessions to dst, for Restore. Equal states give equal bytes. It leaves out
// connections and watches.
func (s *Server) Snapshot(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, SnapshotMagic...)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.AppendUvarint(dst, s.cfg.Seed)
	dst = binary.AppendVarint(dst, s.sessions.nextID)
	dst = binary.AppendUvarint(dst, uint64(len(s.sessions.all)))
	for _, id := range slices.Sorted(maps.Keys(s.sessions.all)) {
		n := s.sessions.all[id]
		dst = binary.AppendVarint(dst, id)
		dst = binary.AppendVarint(dst, n.timeout.Milliseconds())
		dst = binary.AppendVarint(dst, int64(n.actor))
	}
	dst = s.tree.AppendTo(dst)
	sum := crc32.ChecksumIEEE(dst[start+headBytes:])
	binary.BigEndian.PutUint32(dst[start+len(SnapshotMagic):], sum)
	return dst
}

// Restore returns a server with a snapshot's tree and sessions, each with its full timeout from time 0 on. The
// sessions' passwords stay valid, whatever seed the Config has. It refuses anything that is not a snapshot.
func Restore(cfg Config, snapshot []byte) (*Server, error) {
	if len(snapshot) < headBytes || string(snapshot[:len(SnapshotMagic)]) != SnapshotMagic {
		return nil, errors.New("restore the server: this is no snapshot of this version")
	}
	body := snapshot[headBytes:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(snapshot[len(SnapshotMagic):]) {
		return nil, errors.New("restore the server: the checksum is wrong: the snapshot is damaged or cut short")
	}
	r := reader{rest: body}
	cfg = cfg.withDefaults()
	cfg.Seed = r.unsigned()
	nextID := r.signed()
	sessions := r.sessions()
	if r.bad {
		return nil, errors.New("restore the server: the list of sessions is damaged")
	}
	tree, err := znode.Load(r.rest)
	if err != nil {
		return nil, fmt.Errorf("restore the server: %w", err)
	}
	s := newServer(cfg, tree)
	s.sessions.nextID = max(s.sessions.nextID, nextID)
	for _, n := range sessions {
		s.resume(n)
	}
	for _, owner := range tree.Owners() {
		if s.sessions.all[owner] == nil {
			return nil, fmt.Errorf("restore the server: there is no session %#x, which owns znodes", owner)
		}
	}
	return s, nil
}

// Load replaces all data of an ensemble's server without clients by a snapshot, perhaps another server's. It keeps the
// server's own numbering of new sessions.
func (s *Server) Load(snapshot []byte) error {
	other, err := Restore(s.cfg, snapshot)
	if err != nil {
		return err
	}
	s.tree, s.sessions.all, s.sessions.expiry = other.tree, other.sessions.all, other.sessions.expiry
	s.Member.requests, s.containers.due = make(map[int64]*Conn), nil
	return nil
}

func (s *Server) resume(n *session) {
	n.timeout = s.sessions.bounded(n.timeout)
	s.sessions.all[n.id] = n
	if s.cfg.Number != nil {
		n.actor = s.cfg.Number() // no log continues in which it has another name
	}
	s.sessions.nextID = max(s.sessions.nextID, n.id+1)
	s.sessions.touch(n, s.now)
}

// reader decodes varints. After the first damaged one, it reads only zeros.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) unsigned() uint64 {
	v, n := binary.Uvarint(r.rest)
	return take(r, v, n)
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.rest)
	return take(r, v, n)
}

func take[T int64 | uint64](r *reader, v T, n int) T {
	if n <= 0 || r.bad {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// sessions reads no more sessions than the remaining bytes can hold.
func (r *reader) sessions() []*session {
	var list []*session
	for range min(r.unsigned(), uint64(len(r.rest))) {
		n := &session{
			id:      r.signed(),
			timeout: time.Duration(r.signed()) * time.Millisecond,
			actor:   event.Actor(r.signed()),
		}
		if r.bad || n.id == 0 || n.actor < 0 {
			r.bad = true
			return nil
		}
		list = append(list, n)
	}
	return list
}
