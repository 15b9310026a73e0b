package conform

import "github.com/zkviz/zkviz/engine/zookeeper/wire"

// field is a field of a request in a line of a script.
type field string

const (
	fieldPath       field = "path"
	fieldData       field = "data"
	fieldACL        field = "acl"
	fieldFlags      field = "flags"
	fieldTTL        field = "ttl"
	fieldVersion    field = "version"
	fieldWatch      field = "watch"
	fieldMode       field = "mode"
	fieldWatcher    field = "type"
	fieldScheme     field = "scheme"
	fieldAuth       field = "auth"
	fieldAuthType   field = "authtype"
	fieldZxid       field = "zxid"
	fieldDataList   field = "data*"
	fieldExistList  field = "exist*"
	fieldChildList  field = "child*"
	fieldPersistent field = "persistent*"
	fieldRecursive  field = "recursive*"
)

// operations returns those that a script can have.
func operations() []wire.Op {
	return []wire.Op{
		wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL, wire.OpDelete, wire.OpExists,
		wire.OpGetData, wire.OpSetData, wire.OpGetACL, wire.OpSetACL, wire.OpGetChildren, wire.OpGetChildren2,
		wire.OpSync, wire.OpPing, wire.OpCheck, wire.OpMulti, wire.OpMultiRead, wire.OpReconfig,
		wire.OpCheckWatches, wire.OpRemoveWatches, wire.OpAuth, wire.OpSetWatches, wire.OpSetWatches2,
		wire.OpSASL, wire.OpGetEphemerals, wire.OpAllChildrenNumber, wire.OpAddWatch, wire.OpWhoAmI,
		wire.OpCloseSession,
	}
}

// fieldsOf returns the fields of an operation, in the order in which they are written.
func fieldsOf(op wire.Op) []field {
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer:
		return []field{fieldPath, fieldData, fieldFlags, fieldACL}
	case wire.OpCreateTTL:
		return []field{fieldPath, fieldData, fieldFlags, fieldTTL, fieldACL}
	case wire.OpDelete, wire.OpCheck:
		return []field{fieldPath, fieldVersion}
	case wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2:
		return []field{fieldPath, fieldWatch}
	case wire.OpSetData:
		return []field{fieldPath, fieldData, fieldVersion}
	case wire.OpSetACL:
		return []field{fieldPath, fieldACL, fieldVersion}
	case wire.OpGetACL, wire.OpSync, wire.OpAllChildrenNumber, wire.OpGetEphemerals:
		return []field{fieldPath}
	case wire.OpCheckWatches, wire.OpRemoveWatches:
		return []field{fieldPath, fieldWatcher}
	case wire.OpAddWatch:
		return []field{fieldPath, fieldMode}
	case wire.OpSetWatches:
		return []field{fieldZxid, fieldDataList, fieldExistList, fieldChildList}
	case wire.OpSetWatches2:
		return []field{fieldZxid, fieldDataList, fieldExistList, fieldChildList, fieldPersistent, fieldRecursive}
	case wire.OpAuth:
		return []field{fieldScheme, fieldAuth, fieldAuthType}
	case wire.OpSASL:
		return []field{fieldAuth}
	}
	return nil
}

func operationNamed(name string) (wire.Op, bool) {
	for _, op := range operations() {
		if op.String() == name {
			return op, true
		}
	}
	return 0, false
}
