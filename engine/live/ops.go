package live

import (
	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/zoo"
)

// do makes a call of the process: f puts it to the library, and says what it made if that is a path. It
// takes mu, and returns the watch that the call left.
func (c *client) do(op event.Op, path string, mode zoo.CreateMode, f func(*zk.Conn) (string, error)) (*call, error) {
	fail := func(err error) (*call, error) {
		return &call{}, &zoo.Error{Op: op.String(), Path: path, Code: zoo.CodeOf(err)}
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.awake()
	if err := c.refusal(); err != nil {
		return fail(err)
	}
	k := c.begin(op, path, mode)
	c.w.mu.Unlock()
	made, err := f(c.zk)
	c.w.mu.Lock()
	code := c.finishCall(err)
	if made != "" {
		k.path = made
	}
	if code != zoo.OK {
		return k, &zoo.Error{Op: op.String(), Path: path, Code: code}
	}
	return k, nil
}

// begin registers the call, so that its request is known when it passes.
func (c *client) begin(op event.Op, path string, mode zoo.CreateMode) *call {
	c.call = &call{op: op, path: path, mode: mode, line: c.lines.At()}
	c.state.For = process.ForReply
	c.update()
	return c.call
}

// finishCall takes the library's answer, once the process may go on, and says what the call came to.
func (c *client) finishCall(err error) zoo.Code {
	k := c.call
	if !c.awake() {
		return zoo.ErrStopped
	}
	c.call = nil
	code := k.code
	if !k.answered {
		if code = admin.CodeOf(err); code == zoo.OK || c.expired {
			code = zoo.ErrConnectionLoss
		}
		if c.expired {
			code = zoo.ErrSessionExpired
		}
	}
	e := event.Event{Kind: event.OpDone, Op: k.op, Path: k.path, Code: int32(code), Zxid: k.zxid, Cause: k.cause}
	if !k.answered {
		e.Line = k.line
	}
	c.emit(e)
	c.resume()
	return code
}

// Name implements zoo.Client.
func (c *client) Name() string { return c.name }

// SessionID implements zoo.Client.
func (c *client) SessionID() int64 {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.Session
}

// Create implements zoo.Client.
func (c *client) Create(path string, data []byte, mode zoo.CreateMode) (string, error) {
	k, err := c.do(event.Create, path, mode, func(z *zk.Conn) (string, error) {
		return z.Create(path, data, int32(mode), c.w.acl)
	})
	if err != nil {
		return "", err
	}
	return k.path, nil
}

// Delete implements zoo.Client.
func (c *client) Delete(path string, version int32) error {
	_, err := c.do(event.Delete, path, 0, func(z *zk.Conn) (string, error) { return "", z.Delete(path, version) })
	return err
}

// Set implements zoo.Client.
func (c *client) Set(path string, data []byte, version int32) (zoo.Stat, error) {
	var stat *zk.Stat
	_, err := c.do(event.Set, path, 0, func(z *zk.Conn) (_ string, err error) {
		stat, err = z.Set(path, data, version)
		return "", err
	})
	return statOf(stat, err), err
}

// Sync implements zoo.Client.
func (c *client) Sync(path string) error {
	_, err := c.do(event.Sync, path, 0, func(z *zk.Conn) (string, error) {
		_, err := z.Sync(path)
		return "", err
	})
	return err
}

// Exists implements zoo.Client.
func (c *client) Exists(path string) (bool, zoo.Stat, error) {
	var there bool
	var stat *zk.Stat
	_, err := c.do(event.Exists, path, 0, func(z *zk.Conn) (_ string, err error) {
		there, stat, err = z.Exists(path)
		return "", err
	})
	err = absent(err)
	return there && err == nil, statOf(stat, err), err
}

// ExistsW implements zoo.Client.
func (c *client) ExistsW(path string) (bool, zoo.Stat, zoo.Watch, error) {
	var there bool
	var stat *zk.Stat
	k, err := c.do(event.Exists, path, 0, func(z *zk.Conn) (_ string, err error) {
		there, stat, _, err = z.ExistsW(path)
		return "", err
	})
	err = absent(err)
	return there && err == nil, statOf(stat, err), k.watch, err
}

// absent takes the absence of a znode for an answer.
func absent(err error) error {
	if err != nil && zoo.CodeOf(err) == zoo.ErrNoNode {
		return nil
	}
	return err
}

// Get implements zoo.Client.
func (c *client) Get(path string) (data []byte, _ zoo.Stat, err error) {
	var stat *zk.Stat
	_, err = c.do(event.Get, path, 0, func(z *zk.Conn) (_ string, err error) {
		data, stat, err = z.Get(path)
		return "", err
	})
	if err != nil {
		data = nil
	}
	return data, statOf(stat, err), err
}

// GetW implements zoo.Client.
func (c *client) GetW(path string) (data []byte, _ zoo.Stat, _ zoo.Watch, err error) {
	var stat *zk.Stat
	k, err := c.do(event.Get, path, 0, func(z *zk.Conn) (_ string, err error) {
		data, stat, _, err = z.GetW(path)
		return "", err
	})
	if err != nil {
		data = nil
	}
	return data, statOf(stat, err), k.watch, err
}

// Children implements zoo.Client.
func (c *client) Children(path string) (names []string, _ zoo.Stat, err error) {
	var stat *zk.Stat
	_, err = c.do(event.Children, path, 0, func(z *zk.Conn) (_ string, err error) {
		names, stat, err = z.Children(path)
		return "", err
	})
	if err != nil {
		names = nil
	}
	return names, statOf(stat, err), err
}

// ChildrenW implements zoo.Client.
func (c *client) ChildrenW(path string) (names []string, _ zoo.Stat, _ zoo.Watch, err error) {
	var stat *zk.Stat
	k, err := c.do(event.Children, path, 0, func(z *zk.Conn) (_ string, err error) {
		names, stat, _, err = z.ChildrenW(path)
		return "", err
	})
	if err != nil {
		names = nil
	}
	return names, statOf(stat, err), k.watch, err
}

// Multi implements zoo.Client.
func (c *client) Multi(ops ...zoo.Op) ([]zoo.OpResult, error) {
	path := ""
	if len(ops) > 0 {
		path = ops[0].Path
	}
	var parts []zk.MultiResponse
	_, err := c.do(event.Multi, path, 0, func(z *zk.Conn) (_ string, err error) {
		parts, err = z.Multi(requestsOf(ops, c.w.acl)...)
		return "", err
	})
	results := make([]zoo.OpResult, len(parts))
	for i, p := range parts {
		results[i] = zoo.OpResult{Code: admin.CodeOf(p.Error), Path: p.String, Stat: statOf(p.Stat, nil)}
	}
	return results, err
}

func requestsOf(ops []zoo.Op, acl []zk.ACL) []any {
	list := make([]any, len(ops))
	for i, o := range ops {
		switch o.Kind {
		case zoo.OpCreate:
			list[i] = &zk.CreateRequest{Path: o.Path, Data: o.Data, Acl: acl, Flags: int32(o.Mode)}
		case zoo.OpDelete:
			list[i] = &zk.DeleteRequest{Path: o.Path, Version: o.Version}
		case zoo.OpSet:
			list[i] = &zk.SetDataRequest{Path: o.Path, Data: o.Data, Version: o.Version}
		case zoo.OpCheck:
			list[i] = &zk.CheckVersionRequest{Path: o.Path, Version: o.Version}
		}
	}
	return list
}

// statOf copies the library's stat. It gives one of zeros when there is none.
func statOf(s *zk.Stat, err error) zoo.Stat {
	if s == nil || err != nil {
		return zoo.Stat{}
	}
	return zoo.Stat{
		Czxid: s.Czxid, Mzxid: s.Mzxid, Ctime: s.Ctime, Mtime: s.Mtime,
		Version: s.Version, Cversion: s.Cversion, Aversion: s.Aversion,
		EphemeralOwner: s.EphemeralOwner, DataLength: s.DataLength, NumChildren: s.NumChildren, Pzxid: s.Pzxid,
	}
}

// Phase implements zoo.Client.
func (c *client) Phase(p zoo.Phase, about zoo.Subject) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if c.awake() {
		c.emit(event.Event{Kind: event.RecipePhase, Text: string(p), Path: about.Path, N: about.Fence})
	}
}

// Note implements zoo.Client.
func (c *client) Note(text string) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if c.awake() {
		c.emit(event.Event{Kind: event.RecipeNote, Text: event.Preview([]byte(text))})
	}
}
