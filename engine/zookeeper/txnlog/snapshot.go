package txnlog

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// ErrNotSnapshot reports a file that is not a snapshot.
var ErrNotSnapshot = errors.New(`not a snapshot of ZooKeeper: one begins with "ZKSN" and version 2`)

// Node is a znode of a snapshot.
type Node struct {
	Path string
	Data []byte    // nil is null
	ACL  []zoo.ACL // empty: anybody may do anything to it
	Stat zoo.Stat  // without Cversion and NumChildren, which follow from Made and the children
	Made int32     // how many children were ever created
}

// Owner returns an ephemeral znode's session, else 0. For containers and znodes with a TTL, the stat's field means
// something else. See EphemeralType in ZooKeeper's source.
func (n *Node) Owner() int64 {
	const typed = 0xff << 56
	if of := n.Stat.EphemeralOwner; !n.Container() && uint64(of)&typed != typed {
		return of
	}
	return 0
}

// Container reports whether the znode is a container.
func (n *Node) Container() bool { return n.Stat.EphemeralOwner == math.MinInt64 }

// Tree receives the contents of a snapshot: first the sessions, then the znodes, parents before children. An error
// of a function ends the reading.
type Tree struct {
	Session func(id int64, timeoutMS int32) error
	Node    func(*Node) error // the reader reuses the Node; Path, ACL and the slice Data may be kept

	// Last may be nil. It receives the last transaction that the server had carried out when it had written the
	// znodes: they may show everything up to there. ZooKeeper 3.6 and later write it, unless digests are off.
	Last func(zxid int64)
}

// The file extensions of compressed snapshots; see zookeeper.snapshot.compression.method.
const (
	gzipExt   = ".gz"
	snappyExt = ".snappy"
)

// SnapshotZxid returns the zxid in a snapshot's name. The snapshot contains everything up to that transaction.
func SnapshotZxid(name string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, "snapshot.")
	digits = strings.TrimSuffix(strings.TrimSuffix(digits, gzipExt), snappyExt)
	zxid, err := strconv.ParseInt(digits, 16, 64)
	return zxid, ok && err == nil
}

// ReadSnapshotFile reads the snapshot with this name, compressed or not.
func ReadSnapshotFile(name string, to Tree) error {
	file, err := open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := uncompressed(name, file)
	if err != nil {
		return fmt.Errorf("read the compressed snapshot: %w", err)
	}
	return ReadSnapshot(in, to)
}

// uncompressed returns a reader of a file's uncompressed contents.
func uncompressed(name string, file io.Reader) (io.Reader, error) {
	switch {
	case strings.HasSuffix(name, snappyExt):
		return newSnappyReader(file)
	case strings.HasSuffix(name, gzipExt):
		return gzip.NewReader(bufio.NewReader(file))
	}
	return file, nil
}

// ReadSnapshot reads an uncompressed snapshot and verifies its checksum.
func ReadSnapshot(r io.Reader, to Tree) error {
	in := newStream(r)
	in.sum = adler32.New()
	head := in.take(headerBytes)
	if head == nil || string(head[:4]) != snapshotMagic || binary.BigEndian.Uint32(head[4:]) != formatVersion {
		if in.err != nil && !errors.Is(in.err, io.ErrUnexpectedEOF) {
			return in.err
		}
		return ErrNotSnapshot
	}
	if err := in.tree(to); err != nil {
		return fmt.Errorf("read the snapshot: %w", err)
	}
	if err := in.seal(); err != nil {
		return err
	}
	const alone = 8 + 8 + 5 // a zxid and its seal, which 3.9 writes; a digest is longer
	rest, _ := in.in.Peek(alone + 1)
	if len(rest) == 0 || to.Last == nil {
		return nil
	}
	last := in.long()
	if len(rest) > alone {
		_, _ = in.int(), in.long() // the version of the digest of all znodes, and the digest
	}
	if err := in.seal(); err != nil {
		return err
	}
	to.Last(last)
	return nil
}

// seal compares a checksum of everything so far. The word "/" ends it.
func (s *stream) seal() error {
	sum := s.sum.Sum32()
	if sealed := s.long(); s.err == nil && sealed != int64(sum) {
		return fmt.Errorf("the snapshot is damaged: its checksum is %#x, not %#x", sum, sealed)
	}
	_ = s.string()
	if s.err != nil {
		return fmt.Errorf("read the snapshot's checksum: %w", s.err)
	}
	return nil
}

// ReadTree reads the tree that a leader sends to a learner that is far behind: a snapshot without header and
// checksum. It reads no further.
func ReadTree(r *bufio.Reader, to Tree) error {
	if err := newStream(r).tree(to); err != nil {
		return fmt.Errorf("read the tree: %w", err)
	}
	return nil
}

// aclOf returns the ACL with this number. A snapshot that is written during writes may have a znode whose ACL is
// newer than its table. Until a transaction says more, nobody may do anything to that znode.
func aclOf(number int64, acls map[int64][]zoo.ACL) []zoo.ACL {
	const anybody = -1
	if acl, ok := acls[number]; ok || number == anybody {
		return acl
	}
	return []zoo.ACL{{}}
}

func (s *stream) tree(to Tree) error {
	for n := s.int(); n > 0 && s.err == nil; n-- {
		id, timeout := s.long(), s.int()
		if s.err == nil {
			s.err = to.Session(id, timeout)
		}
	}
	acls := map[int64][]zoo.ACL{}
	for n := s.int(); n > 0 && s.err == nil; n-- {
		index := s.long()
		acls[index] = s.acl()
	}
	for s.err == nil {
		path := s.string()
		if path == "/" {
			break
		}
		if path == "" {
			path = "/"
		}
		n := Node{Path: path}
		if data := s.bytes(); data != nil {
			n.Data = append([]byte{}, data...)
		}
		n.ACL = aclOf(s.long(), acls)
		n.Stat = zoo.Stat{Czxid: s.long(), Mzxid: s.long(), Ctime: s.long(), Mtime: s.long(), Version: s.int()}
		n.Made = s.int()
		n.Stat.Aversion, n.Stat.EphemeralOwner, n.Stat.Pzxid = s.int(), s.long(), s.long()
		n.Stat.DataLength = int32(len(n.Data))
		if s.err == nil {
			s.err = to.Node(&n)
		}
	}
	return s.err
}
