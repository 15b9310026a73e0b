package wire

import "github.com/zkviz/zkviz/engine/event/zoo"

// Txn is a transaction as servers write it to their logs and a leader sends it to its followers. It records the
// outcome, not the request: a sequential znode's name has its number, a version is the new one, and a failed request
// is an OpError. In addition to the header, which is Session to Op, each operation fills these fields:
//
//	create, create2, createContainer     Path Data ACL Ephemeral Cversion
//	createTTL                            Path Data ACL Cversion TTL
//	delete, deleteContainer              Path
//	setData, reconfig                    Path Data Version
//	setACL                               Path ACL Version
//	check, in a multi                    Path Version
//	createSession                        TimeoutMS
//	closeSession                         Paths, which are the session's ephemeral znodes; nil before ZooKeeper 3.6
//	error                                Code
//	multi                                Parts, each with only Op and its fields
//
// ZooKeeper's source defines it in zookeeper.jute.
type Txn struct {
	Session int64 // of the client
	Cxid    int32 // the client's number for the request; 0 for the server's own transactions
	Zxid    int64
	TimeMS  int64 // since 1970, by the leader's clock
	Op      Op

	Path      string
	Data      []byte // nil is null
	ACL       []zoo.ACL
	Ephemeral bool
	Cversion  int32 // the parent's new one; -1 if the log doesn't have it
	Version   int32
	TTL       int64 // ms
	TimeoutMS int32
	Paths     []string
	Code      zoo.Code
	Parts     []Txn
}

// digestBytes is the length of the digest of the resulting tree, which may follow a transaction since ZooKeeper 3.6.
const digestBytes = 4 + 8

// Append appends the transaction to dst, without a digest.
func (t *Txn) Append(dst []byte) []byte {
	dst = putInt(putLong(dst, t.Session), t.Cxid)
	dst = putInt(putLong(putLong(dst, t.Zxid), t.TimeMS), int32(t.Op))
	return t.appendBody(dst)
}

func (t *Txn) appendBody(dst []byte) []byte {
	switch t.Op {
	case OpCreate, OpCreate2:
		dst = putBool(putACL(putBuffer(putString(dst, t.Path), t.Data), t.ACL), t.Ephemeral)
		dst = putInt(dst, t.Cversion)
	case OpCreateContainer:
		dst = putInt(putACL(putBuffer(putString(dst, t.Path), t.Data), t.ACL), t.Cversion)
	case OpCreateTTL:
		dst = putInt(putACL(putBuffer(putString(dst, t.Path), t.Data), t.ACL), t.Cversion)
		dst = putLong(dst, t.TTL)
	case OpDelete, OpDeleteContainer:
		dst = putString(dst, t.Path)
	case OpSetData, OpReconfig:
		dst = putInt(putBuffer(putString(dst, t.Path), t.Data), t.Version)
	case OpSetACL:
		dst = putInt(putACL(putString(dst, t.Path), t.ACL), t.Version)
	case OpCheck:
		dst = putInt(putString(dst, t.Path), t.Version)
	case OpCreateSession:
		dst = putInt(dst, t.TimeoutMS)
	case OpCloseSession:
		if t.Paths != nil {
			dst = putStrings(dst, t.Paths)
		}
	case OpError:
		dst = putInt(dst, int32(t.Code))
	case OpMulti:
		dst = putInt(dst, int32(len(t.Parts)))
		for i := range t.Parts {
			dst = putInt(dst, int32(t.Parts[i].Op))
			dst = putBuffer(dst, t.Parts[i].appendBody([]byte{}))
		}
	}
	return dst
}

// DecodeTxn decodes a transaction into t and reuses t's slices, so the previous contents become invalid. It keeps no
// reference to b. It skips a digest, and fields that a later ZooKeeper appends to the known ones. For an unknown
// operation, it returns only the header. It returns ErrTxn if b is not a transaction.
func DecodeTxn(b []byte, t *Txn) error {
	in := taker{b: b, asSent: true}
	*t = Txn{Data: t.Data, Parts: t.Parts, Paths: t.Paths,
		Session: in.long(), Cxid: in.int(), Zxid: in.long(), TimeMS: in.long(), Op: Op(in.int())}
	t.takeBody(&in, false)
	if in.bad {
		return ErrTxn
	}
	return nil
}

// takeBody decodes what follows the operation. The bytes of a part of a multi end with it.
func (t *Txn) takeBody(in *taker, part bool) {
	data, parts, paths := t.Data, t.Parts, t.Paths
	t.Data, t.Parts, t.Paths = nil, nil, nil
	switch t.Op {
	case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL:
		t.Path, t.Data, t.ACL = in.given(""), in.buffer(data), in.acl()
		if t.Op == OpCreate || t.Op == OpCreate2 {
			t.Ephemeral = in.bool()
		}
		t.Cversion = -1
		if len(in.b) >= 4 { // ZooKeeper before 3.4 ends here
			t.Cversion = in.int()
		}
		if t.Op == OpCreateTTL {
			t.TTL = in.long()
		}
	case OpDelete, OpDeleteContainer:
		t.Path = in.given("")
	case OpSetData, OpReconfig:
		t.Path, t.Data, t.Version = in.given(""), in.buffer(data), in.int()
	case OpSetACL:
		t.Path, t.ACL, t.Version = in.given(""), in.acl(), in.int()
	case OpCheck:
		t.Path, t.Version = in.given(""), in.int()
	case OpCreateSession:
		t.TimeoutMS = in.int()
	case OpCloseSession:
		t.takePaths(in, paths)
	case OpError:
		t.Code = zoo.Code(in.int())
	case OpMulti:
		if in.bad = in.bad || part; !in.bad {
			t.takeParts(in, parts)
		}
	}
}

// takePaths decodes the znodes that a closed session leaves. Not every version and setting writes them. If they are
// missing, nothing follows, or a digest.
func (t *Txn) takePaths(in *taker, old []string) {
	try := *in
	if list := try.texts(old); !try.bad && (len(try.b) == 0 || len(try.b) == digestBytes) {
		*in = try
		t.Paths = list
		if list == nil {
			t.Paths = []string{}
		}
	}
}

// takeParts decodes the parts of a multi. A part has a type, a length and its bytes.
func (t *Txn) takeParts(in *taker, old []Txn) {
	n := in.count(4 + 4)
	t.Parts = reuse(old, n)
	for range n {
		var p Txn
		p.Op = Op(in.int())
		body := taker{b: in.raw(), asSent: true}
		p.takeBody(&body, true)
		if in.bad = in.bad || body.bad; in.bad {
			return
		}
		t.Parts = append(t.Parts, p)
	}
}
