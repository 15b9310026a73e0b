package wire

import "strconv"

// Op is the number of an operation.
type Op int32

const (
	OpNotification      Op = 0
	OpCreate            Op = 1
	OpDelete            Op = 2
	OpExists            Op = 3
	OpGetData           Op = 4
	OpSetData           Op = 5
	OpGetACL            Op = 6
	OpSetACL            Op = 7
	OpGetChildren       Op = 8
	OpSync              Op = 9
	OpPing              Op = 11
	OpGetChildren2      Op = 12
	OpCheck             Op = 13 // in a multi. On its own it poisons an ensemble's log: never send it
	OpMulti             Op = 14
	OpCreate2           Op = 15
	OpReconfig          Op = 16
	OpCheckWatches      Op = 17
	OpRemoveWatches     Op = 18
	OpCreateContainer   Op = 19
	OpDeleteContainer   Op = 20 // internal to servers
	OpCreateTTL         Op = 21
	OpMultiRead         Op = 22
	OpAuth              Op = 100
	OpSetWatches        Op = 101
	OpSASL              Op = 102
	OpGetEphemerals     Op = 103
	OpAllChildrenNumber Op = 104
	OpSetWatches2       Op = 105
	OpAddWatch          Op = 106
	OpWhoAmI            Op = 107
	OpCreateSession     Op = -10 // internal to servers
	OpCloseSession      Op = -11
	OpError             Op = -1 // type of a failed Result
)

// String returns the operation's name in ZooKeeper's source, such as "create2", or its number.
func (o Op) String() string {
	if name, ok := opNames[o]; ok {
		return name
	}
	return strconv.Itoa(int(o))
}

// opNames maps operations to their names in ZooKeeper's source.
var opNames = map[Op]string{
	OpNotification:      "notification",
	OpCreate:            "create",
	OpDelete:            "delete",
	OpExists:            "exists",
	OpGetData:           "getData",
	OpSetData:           "setData",
	OpGetACL:            "getACL",
	OpSetACL:            "setACL",
	OpGetChildren:       "getChildren",
	OpSync:              "sync",
	OpPing:              "ping",
	OpGetChildren2:      "getChildren2",
	OpCheck:             "check",
	OpMulti:             "multi",
	OpCreate2:           "create2",
	OpReconfig:          "reconfig",
	OpCheckWatches:      "checkWatches",
	OpRemoveWatches:     "removeWatches",
	OpCreateContainer:   "createContainer",
	OpDeleteContainer:   "deleteContainer",
	OpCreateTTL:         "createTTL",
	OpMultiRead:         "multiRead",
	OpAuth:              "auth",
	OpSetWatches:        "setWatches",
	OpSASL:              "sasl",
	OpGetEphemerals:     "getEphemerals",
	OpAllChildrenNumber: "getAllChildrenNumber",
	OpSetWatches2:       "setWatches2",
	OpAddWatch:          "addWatch",
	OpWhoAmI:            "whoAmI",
	OpCreateSession:     "createSession",
	OpCloseSession:      "closeSession",
	OpError:             "error",
}
