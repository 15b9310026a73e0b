package conform

import (
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// quotaFolders are the folders of the quotas of a script: those of its home, and of znodes below it.
func (d *drawing) quotaFolders() []string {
	of := strings.TrimSuffix(quotas, "/") + d.paths.top
	return []string{of, of + "/a", of + "/b", of + "/a/a"}
}

// beginQuotas creates the folders, and a quota of the home that counts and limits nothing yet.
func (d *drawing) beginQuotas() {
	folders := d.quotaFolders()
	for _, path := range folders {
		d.quotaPart(path, "")
	}
	d.quotaPart(folders[0]+limitsName, "count=20,bytes=500")
	d.quotaPart(folders[0]+statsName, "count=0,bytes=0")
}

// quotaPart creates a znode that ordinary requests may use too.
func (d *drawing) quotaPart(path, data string) {
	r := usual(wire.OpCreate)
	r.Path, r.Data = path, []byte(data)
	d.ask(pick(d.dice, names()...), r)
	d.guess.order = append(d.guess.order, path)
	d.guess.nodes[path] = &guessed{}
}

// quotaRequest creates, deletes or reads a quota.
func (d *drawing) quotaRequest() wire.Request {
	folder := pick(d.dice, d.quotaFolders()...)
	var r wire.Request
	switch d.dice.rng.IntN(12) {
	case 0, 1:
		r = usual(wire.OpCreate)
		r.Path, r.Data = folder+limitsName, []byte("count=5,bytes=50")
	case 2, 3:
		r = usual(wire.OpCreate)
		r.Path, r.Data = folder+statsName, []byte("count=0,bytes=0")
	case 4:
		r = usual(wire.OpDelete)
		r.Path, r.Version = folder+limitsName, -1
	case 5:
		r = usual(wire.OpDelete)
		r.Path, r.Version = pick(d.dice, folder, folder+statsName), -1
	case 6:
		r = usual(wire.OpCreate)
		r.Path = folder
	default:
		r = usual(wire.OpGetData)
		r.Path, r.Watch = folder+statsName, d.dice.one(4)
	}
	return r
}
