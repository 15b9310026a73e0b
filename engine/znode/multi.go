package znode

import "github.com/zkviz/zkviz/engine/zoo"

// multi carries out all ops or none. After a failure the ops before it report OK, it reports its own code
// and those behind it a runtime inconsistency, as ZooKeeper does; the code returned is the failing op's.
func (a *applier) multi(ops []zoo.Op) ([]zoo.OpResult, zoo.Code) {
	a.inMulti = true
	kept := len(a.changes)
	results := make([]zoo.OpResult, len(ops))
	for i, op := range ops {
		path, stat, code := a.one(txnOf(op))
		if code == zoo.OK {
			results[i] = zoo.OpResult{Path: path, Stat: stat}
			continue
		}
		a.rollBack()
		a.changes = a.changes[:kept]
		return failed(len(ops), i, code), code
	}
	return results, zoo.OK
}

func txnOf(op zoo.Op) Txn {
	x := Txn{Path: op.Path, Data: op.Data, Mode: op.Mode, Version: op.Version}
	switch op.Kind {
	case zoo.OpCreate:
		x.Kind = Create
	case zoo.OpDelete:
		x.Kind = Delete
	case zoo.OpSet:
		x.Kind = Set
	case zoo.OpCheck:
		x.Kind = Check
	}
	return x
}

func (a *applier) rollBack() {
	for i := len(a.undo) - 1; i >= 0; i-- {
		a.undo[i]()
	}
}

func failed(n, at int, code zoo.Code) []zoo.OpResult {
	results := make([]zoo.OpResult, n)
	results[at].Code = code
	for i := at + 1; i < n; i++ {
		results[i].Code = zoo.ErrRuntimeInconsistency
	}
	return results
}
