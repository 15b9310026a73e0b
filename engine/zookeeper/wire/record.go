package wire

import "github.com/zkviz/zkviz/engine/event/zoo"

// Record is the content of a frame.
type Record interface {
	// Append appends the payload to dst and returns the extended slice.
	Append(dst []byte) []byte
}

// ConnectRequest opens a session, or resumes one on a new connection.
type ConnectRequest struct {
	ProtocolVersion int32 // 0
	LastZxidSeen    int64
	TimeoutMS       int32
	Session         int64  // 0 for a new session
	Password        []byte // 16 bytes, or nil
	ReadOnly        bool
	HasReadOnly     bool // false for clients older than 3.4: the record then ends before ReadOnly
}

// ConnectResponse is the answer. If the server refuses the session, Session and TimeoutMS are 0.
type ConnectResponse struct {
	ProtocolVersion int32
	TimeoutMS       int32
	Session         int64
	Password        []byte
	ReadOnly        bool
	HasReadOnly     bool // as in the request
}

// Request is any other message of a client. It is one flat record for all operations, each of which fills these fields
// in addition to Xid and Op:
//
//	create, create2, createContainer     Path Data ACL Flags
//	createTTL                            Path Data ACL Flags TTL
//	delete                               Path Version
//	exists, getData                      Path Watch
//	getChildren, getChildren2            Path Watch
//	setData                              Path Data Version
//	getACL                               Path
//	setACL                               Path ACL Version
//	sync, getAllChildrenNumber           Path
//	getEphemerals                        Path, a prefix
//	check                                Path Version
//	checkWatches, removeWatches          Path Type
//	addWatch                             Path Mode
//	setWatches                           RelativeZxid DataWatches ExistWatches ChildWatches
//	setWatches2                          the same, PersistentWatches RecursiveWatches
//	auth                                 AuthType Scheme Auth
//	sasl                                 Auth
//	multi, multiRead                     Ops, without Xid; only the Ops of a multiRead use NullPath
//	ping, whoAmI, closeSession           nothing
//	reconfig                             nothing: its body is read and dropped
type Request struct {
	Xid     int32
	Op      Op
	Path    string
	Data    []byte // nil is null, which differs from empty
	ACL     []zoo.ACL
	Flags   int32 // zoo.CreateMode as sent, perhaps invalid
	TTL     int64 // ms
	Version int32 // -1 for any
	Watch   bool
	Mode    int32 // WatchPersistent or WatchPersistentRecursive, as sent
	Type    int32 // WatcherChildren, WatcherData or WatcherAny, as sent

	AuthType int32 // 0
	Scheme   string
	Auth     []byte

	RelativeZxid      int64
	DataWatches       []string
	ExistWatches      []string
	ChildWatches      []string
	PersistentWatches []string
	RecursiveWatches  []string

	Ops []Request

	NullPath bool // this part of a multiRead has a null path: it fails when executed, not when decoded
}

// FirstPath returns the znode of a request, or that of a multi's first part.
func (q *Request) FirstPath() string {
	if q.Path == "" && len(q.Ops) > 0 {
		return q.Ops[0].Path
	}
	return q.Path
}

// Response is the answer to a Request. It has a body only if Code is zoo.OK, with these fields:
//
//	create                                         Path
//	create2, createContainer, createTTL            Path Stat
//	exists, setData, setACL                        Stat
//	getData                                        Data Stat
//	getChildren                                    Children
//	getChildren2                                   Children Stat
//	getACL                                         ACL Stat
//	sync                                           Path
//	getEphemerals                                  Children, which are paths
//	getAllChildrenNumber                           Number
//	whoAmI                                         Clients
//	sasl                                           Data
//	multi, multiRead                               Results
//	addWatch                                       nothing of interest
//	the others                                     nothing
type Response struct {
	Xid      int32
	Op       Op // the request's; not on the wire, but determines the body
	Zxid     int64
	Code     zoo.Code
	Path     string
	Data     []byte // nil is null
	Stat     zoo.Stat
	Children []string
	ACL      []zoo.ACL
	Number   int32
	Clients  []ClientInfo
	Results  []Result
}

// Result is the outcome of one part of a multi or a multiRead. Its Op is the one on the wire. That is OpError for each
// part of a failed multi, with Code OK for the parts before the failed one, and OpCreate for a create2 in a multi, as
// 3.8.0 answers.
type Result struct {
	Op       Op
	Code     zoo.Code // for an OpError
	Path     string   // for a create
	Stat     zoo.Stat // for a setData, getData, getChildren, and creates other than OpCreate
	Data     []byte   // for a getData
	Children []string // for a getChildren
}

// ClientInfo is one identity of a connection, without its secret.
type ClientInfo struct {
	Scheme string
	User   string
}

// Notification reports that a watch fired. Its xid is XidNotification.
type Notification struct {
	Type  int32 // zoo.EventType
	State int32 // StateSyncConnected
	Path  string
	Zxid  int64 // in the header: 3.8.0 sends -1
}
