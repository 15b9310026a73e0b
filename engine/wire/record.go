package wire

import "github.com/zkviz/zkviz/engine/zoo"

// Record is anything that can be put into a frame.
type Record interface {
	// Append puts the payload at the end of dst and returns the longer slice.
	Append(dst []byte) []byte
}

// ConnectRequest opens a session, or takes an open one up again on a new connection.
type ConnectRequest struct {
	ProtocolVersion int32 // 0
	LastZxidSeen    int64
	TimeoutMS       int32
	Session         int64  // 0 for a new one
	Password        []byte // 16 bytes, or nil
	ReadOnly        bool
	HasReadOnly     bool // false for clients older than 3.4: the record then ends before ReadOnly
}

// ConnectResponse is the answer. A session that is refused has Session and TimeoutMS 0.
type ConnectResponse struct {
	ProtocolVersion int32
	TimeoutMS       int32
	Session         int64
	Password        []byte
	ReadOnly        bool
	HasReadOnly     bool // as in the request
}

// Request is any other thing a client sends: one flat record for all operations. Which fields an operation
// fills, besides Xid and Op:
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
//	multi, multiRead                     Ops, of which Xid is not used; NullPath is of those of a multiRead
//	ping, whoAmI, closeSession           nothing
//	reconfig                             nothing: its body is read and dropped
type Request struct {
	Xid     int32
	Op      Op
	Path    string
	Data    []byte // nil is null, which is not empty
	ACL     []zoo.ACL
	Flags   int32 // zoo.CreateMode, as sent: it may be none
	TTL     int64 // ms
	Version int32 // -1 is any
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

	NullPath bool // a part of a multiRead has null for its path: it fails when its turn comes, not when it is read
}

// Response answers a Request. It has a body only if Code is zoo.OK; which fields that is:
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
//	addWatch                                       nothing that tells anything
//	the others                                     nothing
type Response struct {
	Xid      int32
	Op       Op // of the request: it is not on the wire, and decides which body follows
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

// Result is the outcome of one part of a multi or a multiRead. Its Op is what the wire says: OpError for
// each part of a multi that failed, with Code OK for those before the culprit; OpCreate for a create2 of
// a multi, which 3.8.0 answers so.
type Result struct {
	Op       Op
	Code     zoo.Code // of an OpError
	Path     string   // of a create
	Stat     zoo.Stat // of a setData, getData, getChildren, and creates other than OpCreate
	Data     []byte   // of a getData
	Children []string // of a getChildren
}

// ClientInfo is one identity of a connection, without its secret.
type ClientInfo struct {
	Scheme string
	User   string
}

// Notification is a watch that fired. Its xid is XidNotification.
type Notification struct {
	Type  int32 // zoo.EventType
	State int32 // StateSyncConnected
	Path  string
	Zxid  int64 // of the header: 3.8.0 sends -1
}
