package standby

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// message is what a log has. One field is set.
type message struct {
	Image *image             `json:"image,omitempty"`
	Txn   *txn               `json:"txn,omitempty"`
	Begin *int64             `json:"begin,omitempty"` // another leader's epoch; the tree stays
	Sync  bool               `json:"sync,omitempty"`
	Lost  *sentence.Sentence `json:"lost,omitempty"`
	Next  string             `json:"next,omitempty"` // the log that goes on
}

// image is the tree with which a log begins.
type image struct {
	Epoch    int64           `json:"epoch"`
	Zxid     int64           `json:"zxid"`
	GoesOn   bool            `json:"goesOn,omitempty"` // the log before ends with Zxid
	Sessions map[int64]int32 `json:"sessions,omitempty"`
	Nodes    []node          `json:"nodes,omitempty"`
}

type node struct {
	Path   string `json:"p"`
	Owner  int64  `json:"o,omitempty"` // as in a Stat
	Czxid  int64  `json:"c,omitempty"`
	Mzxid  int64  `json:"m,omitempty"`
	Ctime  int64  `json:"t,omitempty"` // ms since 1970
	Made   int32  `json:"n,omitempty"`
	Hidden bool   `json:"h,omitempty"`
	data
}

// data is the beginning of data that everybody may read, and its size.
type data struct {
	Head []byte `json:"d,omitempty"`
	Size int    `json:"s,omitempty"`
}

// txn has what replay.State needs of a transaction.
type txn struct {
	Session   int64    `json:"by,omitempty"`
	Cxid      int32    `json:"x,omitempty"`
	Zxid      int64    `json:"z,omitempty"`
	TimeMS    int64    `json:"t,omitempty"`
	Op        wire.Op  `json:"op"`
	Path      string   `json:"p,omitempty"`
	Ephemeral bool     `json:"e,omitempty"`
	Hidden    bool     `json:"h,omitempty"`
	Cversion  int32    `json:"n,omitempty"`
	TimeoutMS int32    `json:"to,omitempty"`
	Paths     []string `json:"ps,omitempty"`
	Code      zoo.Code `json:"err,omitempty"`
	Parts     []txn    `json:"parts,omitempty"`
	data
}

// hidden is an ACL that stands for any that not everybody may read by.
var hidden = []zoo.ACL{{Scheme: "auth"}}

func aclOf(isHidden bool) []zoo.ACL {
	if isHidden {
		return hidden
	}
	return nil
}

// bytes returns data with the same preview and size.
func (d data) bytes() []byte {
	size := max(len(d.Head), min(d.Size, maxData))
	if size == 0 {
		return nil
	}
	b := append(make([]byte, 0, size), d.Head...)
	return append(b, bytes.Repeat([]byte{0xff}, size-len(b))...) // no letters, so no preview ends in a new one
}

// strip returns what may be shared of a transaction: of its data, only what its facts show.
func strip(t *wire.Txn, facts []replay.Fact) txn {
	s := txn{Session: t.Session, Cxid: t.Cxid, Zxid: t.Zxid, TimeMS: t.TimeMS, Op: t.Op, Path: t.Path,
		Ephemeral: t.Ephemeral, Hidden: !replay.Readable(t.ACL), Cversion: t.Cversion, TimeoutMS: t.TimeoutMS,
		Paths: t.Paths, Code: t.Code, data: data{Size: len(t.Data)}}
	left := facts
	if s.data = stripData(t, &left); len(t.Parts) == 0 {
		return s
	}
	left = facts
	for i := range t.Parts {
		p := &t.Parts[i]
		part := strip(p, nil)
		part.data = stripData(p, &left)
		s.Parts = append(s.Parts, part)
	}
	return s
}

// stripData returns what may be shared of a part's data, and moves left behind the fact that shows it.
func stripData(t *wire.Txn, left *[]replay.Fact) data {
	d := data{Size: len(t.Data)}
	if t.Data == nil {
		return d
	}
	for i, f := range *left {
		if f.Path != t.Path || f.Kind != event.ZnodeCreated && f.Kind != event.ZnodeChanged {
			continue
		}
		*left = (*left)[i+1:]
		if f.Text != "" {
			d.Head = t.Data[:min(len(t.Data), event.MaxText)]
		}
		break
	}
	return d
}

// txn returns the transaction.
func (s txn) txn() *wire.Txn {
	t := &wire.Txn{Session: s.Session, Cxid: s.Cxid, Zxid: s.Zxid, TimeMS: s.TimeMS, Op: s.Op, Path: s.Path,
		Ephemeral: s.Ephemeral, ACL: aclOf(s.Hidden), Cversion: s.Cversion, TimeoutMS: s.TimeoutMS, Paths: s.Paths,
		Code: s.Code, Data: s.bytes()}
	for _, p := range s.Parts {
		t.Parts = append(t.Parts, *p.txn())
	}
	return t
}

// imageOf returns a State's tree, with what the State shows.
func imageOf(s *replay.State, epoch int64, goesOn bool) *image {
	m := &image{Epoch: epoch, Zxid: s.Zxid, GoesOn: goesOn, Sessions: map[int64]int32{}}
	for id, ms := range s.Timeouts() {
		m.Sessions[id] = ms
	}
	for path, n := range s.Below("/") {
		m.Nodes = append(m.Nodes, node{Path: path, Owner: ownerOf(n), Czxid: n.Czxid, Mzxid: n.Mzxid, Ctime: n.CtimeMS,
			Made: n.Made, Hidden: n.Secret, data: data{[]byte(n.Text), int(n.Bytes)}})
	}
	return m
}

// ownerOf returns what a Stat has as the owner, which also says that a znode is a container or has a TTL.
func ownerOf(n *replay.Node) int64 {
	const container, ttl = -1 << 63, -1 << 56
	switch zoo.CreateMode(n.Mode) {
	case zoo.Container:
		return container
	case zoo.PersistentTTL, zoo.PersistentSequentialTTL:
		return ttl
	}
	return n.Owner
}

// node returns the znode as a leader's tree has it.
func (n node) node() *txnlog.Node {
	return &txnlog.Node{Path: n.Path, Data: n.bytes(), ACL: aclOf(n.Hidden), Made: n.Made,
		Stat: zoo.Stat{Czxid: n.Czxid, Mzxid: n.Mzxid, Ctime: n.Ctime, EphemeralOwner: n.Owner}}
}

var errEntry = errors.New("an entry of a shared ensemble can't be read")

// The flags of an entry, its first byte.
const (
	first = 1 // a batch begins
	last  = 2 // a batch ends
)

// encodeAll encodes a batch of messages.
func encodeAll(batch ...message) []byte {
	text, err := json.Marshal(batch)
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return text
}

// merge makes one batch of several.
func merge(batches [][]byte) []byte {
	all := []byte{'['}
	for i, b := range batches {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, b[1:len(b)-1]...)
	}
	return append(all, ']')
}

// entries cuts an encoded batch into entries.
func entries(text []byte) (all [][]byte) {
	for flag := byte(first); flag&last == 0; {
		n := min(len(text), chunk)
		if n == len(text) {
			flag |= last
		}
		all = append(all, append([]byte{flag}, text[:n]...))
		text, flag = text[n:], flag&last
	}
	return all
}

// joiner puts entries together again. A batch whose owner died in its middle is dropped.
type joiner struct {
	text []byte
	open bool
}

// add returns the messages of the batch that an entry completes, if it does.
func (j *joiner) add(entry []byte) (batch []message, err error) {
	if len(entry) == 0 {
		return nil, errEntry
	}
	if entry[0]&first != 0 {
		j.text, j.open = nil, true
	}
	if !j.open || len(j.text)+len(entry) > maxBatch {
		return nil, errEntry
	}
	j.text = append(j.text, entry[1:]...)
	if entry[0]&last == 0 {
		return nil, nil
	}
	j.open = false
	if err := json.Unmarshal(j.text, &batch); err != nil {
		return nil, fmt.Errorf("%w: %w", errEntry, err)
	}
	return batch, nil
}
